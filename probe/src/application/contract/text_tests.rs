use super::text::{Contract, ContractProblem};

const OUTPUT: &str = "[output]\npath = 'out.jsonl'\n";

#[track_caller]
fn problem(text: &str) -> (String, ContractProblem) {
    let error = Contract::from_toml(text).unwrap_err();
    (error.key, error.problem)
}

#[test]
fn every_error_names_its_key() {
    let unknown = |text: &str| match problem(text) {
        (key, ContractProblem::UnknownKey { known }) => (key, known),
        other => panic!("{other:?}"),
    };
    let (key, known) = unknown("[output]\npath = 'out.npy'\ndimensions = 3\n");
    assert_eq!(key, "output.dimensions");
    assert!(known.contains("dimension, "), "{known}");
    assert_eq!(unknown("[outputs]\npath = 'x'\n").0, "outputs");

    for (text, key, name) in [
        ("", "", "nothing-demanded"),
        ("[model]\nmode = 'evaluation'\n", "", "nothing-demanded"),
        ("output = 3", "output", "wrong-type"),
        ("[[output]]\n", "output[0].path", "missing"),
        (
            "[[output]]\npath = 'a.npy'\n[[output]]\npath = 'b.npy'\n",
            "output[1].name",
            "missing",
        ),
        ("[output]\npath = ''\n", "output.path", "missing"),
        ("[output]\npath = 3\n", "output.path", "wrong-type"),
        (
            "[output]\npath = ['a.npy', 3]\n",
            "output.path",
            "wrong-type",
        ),
        ("[output]\npath = 'a.xyz'\n", "output.format", "no-format"),
        (
            "[output]\npath = 'a'\nformat = 'files'\n",
            "output.format",
            "not-one-of",
        ),
        (
            "[output]\npath = 'a.npy'\nid = 'x'\n",
            "output.id",
            "does-not-fit",
        ),
        ("[output]\npath = 'a.npz'\n", "output.vector", "missing"),
        (
            "[output]\npath = 'a.jsonl'\ndimension = 3\n",
            "output.dimension",
            "needs",
        ),
        (
            "[output]\npath = 'a.npy'\ndimension = 0\n",
            "output.dimension",
            "out-of-range",
        ),
        (
            "[output]\npath = 'a.npy'\ndimension = 'x'\n",
            "output.dimension",
            "wrong-type",
        ),
        (
            "[output]\npath = 'a.npy'\nmin = 2\nmax = 1\n",
            "output.min",
            "out-of-range",
        ),
        (
            "[output]\npath = 'a.npy'\nmax = nan\n",
            "output.max",
            "out-of-range",
        ),
        (
            "[output]\npath = 'a.npy'\ncount = 'all'\n",
            "output.count",
            "not-one-of",
        ),
        (
            "[output]\npath = 'a.npy'\ncount = 'same as input'\n",
            "output.count",
            "needs",
        ),
        (
            "[output]\npath = 'a.jsonl'\neach_id_once = true\n",
            "output.each_id_once",
            "needs",
        ),
        (
            "[output]\npath = 'a.npy'\nname = '../x'\n",
            "output.name",
            "bad-name",
        ),
        (
            "[output]\npath = 'a.npy'\nnorm_tolerance = 0.1\n",
            "output.norm_tolerance",
            "needs",
        ),
        ("[metric]\npath = 'm.json'\n", "metric.key", "missing"),
        (
            "[metric]\npath = 'm.json'\nkey = 'hf_abcdefghijkl'\n",
            "metric.key",
            "bad-name",
        ),
        ("[training]\n", "training", "nothing-demanded"),
        ("[training]\nlog = 'l.jsonl'\n", "training.log", "needs"),
        ("[training]\nbefore = 'a.pt'\n", "training.before", "needs"),
        (
            "[training]\nchanged = '*'\ncheckpoint = 'a.pt'\n",
            "training.changed",
            "needs",
        ),
        ("[final_work]\ncount = 3\n", "final_work", "needs"),
        (
            "[output]\npath = 'out[1.npy'\n",
            "output.path",
            "bad-pattern",
        ),
        (
            "[training]\nbefore = 'a.pt'\nafter = 'b.pt'\nchanged = 'a**'\n",
            "training.changed",
            "bad-pattern",
        ),
        (
            "[training]\nlog = 'l.csv'\nloss = 'loss'\nblank = 'drop'\n",
            "training.blank",
            "not-one-of",
        ),
        (
            "[training]\nlog = 'l.jsonl'\nloss = 'loss'\nblank = 'skip'\n",
            "training.blank",
            "does-not-fit",
        ),
    ] {
        let (found, problem) = problem(text);
        assert_eq!((found.as_str(), problem.name()), (key, name), "{text}");
    }
    let text = format!("{OUTPUT}[model]\nmode = 'eval'\n");
    assert_eq!(problem(&text).0, "model.mode");
    let text = format!("{OUTPUT}[input]\npath = 'a.jsonl'\n[final_work]\nlongest = 3\n");
    assert_eq!(
        problem(&text),
        (
            "final_work.longest".to_owned(),
            ContractProblem::Needs {
                other: "input.length"
            }
        )
    );
}

#[test]
fn broken_toml_names_its_line() {
    let (_, found) = problem("[output]\npath = 'a'\npath = 'b'\n");
    assert!(
        matches!(found, ContractProblem::Syntax { line: 3, .. }),
        "{found:?}"
    );
    let huge = format!("# {}\n", "x".repeat(300_000));
    assert_eq!(problem(&huge).1.name(), "too-large");
    let deep = format!("a = {}", "[".repeat(100_000));
    assert_eq!(problem(&deep).1.name(), "syntax");
}

#[test]
fn a_full_contract_is_read() {
    let text = "\u{feff}
[input]
path = ['a.jsonl', 'b.jsonl']
id = 'id'
length = 'tokens'
[final_work]
longest = 512
longest_share = 1.0
[[output]]
path = 'out/rank*.jsonl'
format = 'jsonl'
id = 'id'
vector = 'embedding'
dimension = 384
finite = true
min = -1
max = 1.0
count = 'same as input'
each_id_once = true
[[output]]
name = 'scores'
path = 'scores.parquet'
id = 'id'
[[metric]]
path = 'metrics.json'
key = 'eval/accuracy'
min = 0.9
[training]
log = 'log.csv'
loss = 'loss'
before = 'start.safetensors'
after = 'last.pt'
changed = ['*.weight']
kept = 'embeddings.*'
checkpoint = 'checkpoints/*.pt'
[model]
mode = 'training'
[stages]
ended = ['load_weights']
";
    let contract = Contract::from_toml(text).unwrap();
    assert_eq!(contract.outputs.len(), 2);
    assert!(contract.outputs[0].each_id_once && contract.outputs[1].each_id_once);
    assert_eq!(contract.training.unwrap().kept, ["embeddings.*"]);
}
