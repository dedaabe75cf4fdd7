//! What was typed, turned into what the engines use, and which words of the user may enter a report.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use firstfault_schema::report::{MAX_LABEL_CHARS, MAX_PARAMETERS, RequestedDevice, Scalar};

use crate::cli::{CheckArgs, DeviceChoice, EngineChoice, TicketChoice};
use crate::error::UsageProblem;

/// Everything that a check needs to know.
#[derive(Debug)]
pub(crate) struct CheckSettings {
    pub(crate) wish: InterpreterWish,
    /// The program whose folder stands first on `sys.path`.
    pub(crate) program: Option<PathBuf>,
    pub(crate) engine: EngineChoice,
    pub(crate) libtorch: Option<PathBuf>,
    pub(crate) device: RequestedDevice,
    pub(crate) index: u32,
    /// For the deciding engine, from its start.
    pub(crate) limit: Duration,
    pub(crate) host_check: bool,
    pub(crate) label: Option<String>,
    pub(crate) parameters: BTreeMap<String, Scalar>,
    /// How often the attempt is made.
    pub(crate) repeat: u32,
    /// The attempt that this one is compared with; only a recheck has one.
    pub(crate) baseline: Option<Baseline>,
    pub(crate) output: Option<PathBuf>,
    pub(crate) page: Option<PathBuf>,
    pub(crate) ticket: Option<TicketChoice>,
    pub(crate) json: bool,
}

/// What a recheck takes from its baseline so that the two can be compared.
#[derive(Clone, Debug)]
pub(crate) struct Baseline {
    /// Its identifier.
    pub(crate) id: String,
    /// The salt of its devices' identities; none where no device told who it is.
    pub(crate) salt: Option<String>,
    /// The parameters are copied from its report, where those that a program declared itself stand among them: what the
    /// program declares now takes their place.
    pub(crate) lends_parameters: bool,
}

/// Which interpreter is wanted.
#[derive(Debug)]
pub(crate) enum InterpreterWish {
    Default,
    Python(PathBuf),
    Pid(u32),
    Kernel(String),
}

/// Variables of this process, whose values must not enter a report as somebody's own words.
pub(crate) type Variables = [(String, String)];

impl CheckSettings {
    /// Checks and converts.
    ///
    /// # Errors
    /// What is wrong with an argument.
    pub(crate) fn new(typed: CheckArgs, variables: &Variables) -> Result<Self, UsageProblem> {
        let device = match typed.device {
            DeviceChoice::Gpu => RequestedDevice::Gpu,
            DeviceChoice::Cpu => RequestedDevice::Cpu,
        };
        if device == RequestedDevice::Cpu && typed.device_index.is_some() {
            return Err(UsageProblem::IndexWithoutGpu);
        }
        let wish = match (typed.python, typed.pid, typed.kernel) {
            (Some(python), _, _) => InterpreterWish::Python(python),
            (None, Some(pid), _) => InterpreterWish::Pid(pid),
            (None, None, Some(kernel)) => InterpreterWish::Kernel(kernel),
            (None, None, None) => InterpreterWish::Default,
        };
        Ok(Self {
            wish,
            program: typed.program,
            engine: typed.engine,
            libtorch: typed.libtorch,
            device,
            index: typed.device_index.unwrap_or(0),
            limit: Duration::from_secs(typed.timeout),
            host_check: typed.host_check,
            label: typed
                .label
                .map(|label| own_words(&label, variables).map(|()| label))
                .transpose()?,
            parameters: parameters(&typed.set, variables)?,
            repeat: typed.repeat.unwrap_or(1),
            baseline: None,
            output: typed.output,
            page: typed.page,
            ticket: typed.ticket,
            json: typed.json,
        })
    }
}

/// The most bytes that all parameters have together, so that a report stays small.
const MAX_PARAMETERS_BYTES: usize = 12 * 1024;

/// `batch=8`, `amp=true`, `note=first try`.
pub(crate) fn parameters(
    typed: &[String],
    variables: &Variables,
) -> Result<BTreeMap<String, Scalar>, UsageProblem> {
    let mut found = BTreeMap::new();
    if typed.iter().map(String::len).sum::<usize>() > MAX_PARAMETERS_BYTES {
        return Err(UsageProblem::Parameters);
    }
    for text in typed {
        let (name, value) = text.split_once('=').ok_or(UsageProblem::Parameter)?;
        let plain = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
        if name.is_empty()
            || name.len() > 64
            || !name.chars().all(plain)
            || !name.starts_with(|c: char| c.is_ascii_alphabetic())
        {
            return Err(UsageProblem::Parameter);
        }
        own_words(name, variables)?;
        if found
            .insert(name.to_owned(), scalar(name, value, variables)?)
            .is_some()
            || found.len() > MAX_PARAMETERS
        {
            return Err(UsageProblem::Parameters);
        }
    }
    Ok(found)
}

fn scalar(name: &str, value: &str, variables: &Variables) -> Result<Scalar, UsageProblem> {
    let secret_name = [
        "token",
        "secret",
        "password",
        "passwd",
        "apikey",
        "api_key",
        "api-key",
        "credential",
    ];
    if secret_name
        .iter()
        .any(|word| name.to_ascii_lowercase().contains(word))
    {
        return Err(UsageProblem::LooksSecret);
    }
    match value {
        "true" => return Ok(Scalar::Bool(true)),
        "false" => return Ok(Scalar::Bool(false)),
        _ => {}
    }
    if value.len() <= 24
        && let Ok(number) = serde_json::from_str::<serde_json::Number>(value)
    {
        return Ok(Scalar::Number(number));
    }
    own_words(value, variables)?;
    Ok(Scalar::Text(value.to_owned()))
}

/// Whether a text can enter a report as the user's own words: bounded, plain, and neither path nor secret.
pub(crate) fn own_words(text: &str, variables: &Variables) -> Result<(), UsageProblem> {
    if text.chars().count() > MAX_LABEL_CHARS {
        return Err(UsageProblem::TooLong);
    }
    if text.trim().is_empty()
        || text
            .chars()
            .any(|c| c.is_control() || firstfault_schema::visible::is_hidden(c))
    {
        return Err(UsageProblem::NotPlain);
    }
    let drive = text.as_bytes().get(1) == Some(&b':') && text.as_bytes()[0].is_ascii_alphabetic();
    if drive || text.contains(['/', '\\']) || text.starts_with('~') {
        return Err(UsageProblem::LooksLikePath);
    }
    let known_prefixes = [
        "hf_",
        "sk-",
        "ghp_",
        "gho_",
        "github_pat_",
        "glpat-",
        "xox",
        "AKIA",
        "ASIA",
        "AIza",
        "ya29.",
        "eyJ",
        "pypi-",
    ];
    let words = || text.split(|c: char| c.is_whitespace() || ",;".contains(c));
    // `key=value`, `key:value`, `key("value")`: each part by itself too.
    let parts = || text.split(|c: char| c.is_whitespace() || ",;:=()[]{}<>\"'`|&?!#".contains(c));
    let secret = words().chain(parts()).any(|word| {
        let long = word.chars().count() >= 20;
        let mixed =
            word.chars().any(|c| c.is_ascii_digit()) && word.chars().any(char::is_alphabetic);
        let dashed = word.split(['-', '_', '.']).all(|part| part.len() < 16);
        (long && mixed && !dashed)
            || word.contains('@')
            || known_prefixes
                .iter()
                .any(|prefix| word.starts_with(prefix) && word.len() >= prefix.len() + 8)
    });
    if secret || words().any(gives_a_secret) || holds_a_variable(text, variables) {
        return Err(UsageProblem::LooksSecret);
    }
    Ok(())
}

/// Whether a word gives a value that is no number to a key that asks for a secret: `password=…`.
fn gives_a_secret(word: &str) -> bool {
    let quotes: &[char] = &['"', '\'', '`', '(', '[', '{'];
    let Some((key, value)) = word.split_once([':', '=']) else {
        return false;
    };
    let key = key
        .trim_matches(|c| quotes.contains(&c))
        .to_ascii_lowercase();
    let value = value.trim_matches(|c| quotes.contains(&c));
    let asks = [
        "password", "passwd", "secret", "api_key", "api-key", "apikey",
    ];
    value.len() >= 4
        && value.parse::<f64>().is_err()
        && asks.iter().any(|asked| key.ends_with(asked))
}

/// Variables whose values are names of people or machines.
const NAMES: [&str; 7] = [
    "USER",
    "LOGNAME",
    "USERNAME",
    "HOSTNAME",
    "HOST",
    "COMPUTERNAME",
    "SUDO_USER",
];
/// Names that many machines and accounts share, or that a stage of a program has as well: they tell nothing.
const COMMON_NAMES: [&str; 33] = [
    "root",
    "admin",
    "user",
    "guest",
    "nobody",
    "ubuntu",
    "debian",
    "runner",
    "jovyan",
    "app",
    "localhost",
    "docker",
    "container",
    "host",
    "server",
    "node",
    "worker",
    "cluster",
    "login",
    "compute",
    "desktop",
    "laptop",
    "workstation",
    "main",
    "data",
    "train",
    "training",
    "eval",
    "test",
    "dev",
    "lab",
    "work",
    "batch",
];

/// Whether the text holds the user's name, the host's, or another value of a variable that is no common word.
fn holds_a_variable(text: &str, variables: &Variables) -> bool {
    variables.iter().any(|(name, value)| {
        if NAMES.contains(&name.as_str()) {
            // The first part of `node7.example.org` is its name too.
            let first = value.split('.').next().unwrap_or_default();
            return holds_name(text, value) || holds_name(text, first);
        }
        value.chars().count() >= 8 && text.contains(value.as_str())
    })
}

/// Whether a name stands in a text by itself, in whatever case. Words of the field are no one's name.
fn holds_name(text: &str, name: &str) -> bool {
    let (text, name) = (text.to_lowercase(), name.to_lowercase());
    if name.chars().count() < 3 || COMMON_NAMES.contains(&name.as_str()) {
        return false;
    }
    let stands_alone = text.match_indices(&name).any(|(at, found)| {
        let before = text[..at].chars().next_back();
        let after = text[at + found.len()..].chars().next();
        !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
    });
    stands_alone && firstfault_schema::clean::clean(&name) != name
}

/// The variables of this process, and the names of the user and the machine where no variable tells them.
pub(crate) fn own_variables() -> Vec<(String, String)> {
    let mut all: Vec<_> = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect();
    #[cfg(unix)]
    {
        let database = std::fs::read("/etc/passwd").unwrap_or_default();
        let database = String::from_utf8_lossy(&database);
        let user = user_of(&database, rustix::process::getuid().as_raw());
        all.extend(user.map(|name| ("USER".to_owned(), name.to_owned())));
        let host = rustix::system::uname()
            .nodename()
            .to_string_lossy()
            .into_owned();
        all.push(("HOSTNAME".to_owned(), host));
        // A user whom another database knows has a folder of that name.
        let home = std::env::var("HOME").unwrap_or_default();
        let folder = home.strip_prefix("/home/").or(home.strip_prefix("/Users/"));
        all.extend(folder.map(|name| ("USER".to_owned(), name.trim_matches('/').to_owned())));
    }
    all
}

/// `jane:x:1000:1000:Jane:/home/jane:/bin/bash`
#[cfg(unix)]
fn user_of(database: &str, wanted: u32) -> Option<&str> {
    database.lines().find_map(|line| {
        let mut fields = line.split(':');
        let (name, id) = (fields.next()?, fields.nth(1)?);
        (id.parse() == Ok(wanted)).then_some(name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables() -> Vec<(String, String)> {
        [
            ("USER", "jane"),
            ("LOGNAME", "ml"),
            ("HOST", "cuda"),
            ("COMPUTERNAME", "TRAIN"),
            ("HOSTNAME", "gpu-box-7.example.org"),
            ("API", "Tr0ub4dor&3x"),
            ("LANG", "de"),
        ]
        .map(|(k, v)| (k.to_owned(), v.to_owned()))
        .to_vec()
    }

    #[cfg(unix)]
    #[test]
    fn the_database_of_users_tells_a_name_without_a_variable() {
        let database = "root:x:0:0:root:/root:/bin/bash\n\n+::::::\njane:x:1000:1000:Jane:/home/jane:/bin/bash\n";
        assert_eq!(user_of(database, 1000), Some("jane"));
        assert_eq!(user_of(database, 0), Some("root"));
        assert_eq!(user_of(database, 7), None);
    }

    #[test]
    fn plain_labels_are_accepted() {
        for label in [
            "baseline",
            "day 1, batch 8",
            "fp16-no-compile",
            "Versuch über Nacht",
            "torch-2.13.0+cu130",
            "the root cause",
            "s-12",
            "doc:17",
            "doc=17 (first)",
            "lr=1e-3",
            "max_tokens:128",
            "weights[0]",
            "module.encoder.layer.0.attention.self.query.weight",
            "janet and hijane",
            "cuda",
            "train",
        ] {
            assert_eq!(own_words(label, &variables()), Ok(()), "{label}");
        }
    }

    #[test]
    fn paths_and_secrets_are_refused() {
        let cases = [
            ("/home/jane/run", UsageProblem::LooksLikePath),
            ("C:\\run", UsageProblem::LooksLikePath),
            ("~jane", UsageProblem::LooksLikePath),
            ("hf_abcdefghijkl", UsageProblem::LooksSecret),
            ("jane@example.org", UsageProblem::LooksSecret),
            ("run of jane", UsageProblem::LooksSecret),
            ("run of Jane", UsageProblem::LooksSecret),
            ("JANE_2", UsageProblem::LooksSecret),
            ("on gpu-box-7", UsageProblem::LooksSecret),
            ("x Tr0ub4dor&3x y", UsageProblem::LooksSecret),
            ("token:hf_abcdefghijklmnop", UsageProblem::LooksSecret),
            ("api_key=sk-abcdefghijkl", UsageProblem::LooksSecret),
            ("load(\"hf_abcdefghijkl\")", UsageProblem::LooksSecret),
            ("password=hunter2", UsageProblem::LooksSecret),
            (
                "db.password: x, db.passwd:'hunter2'",
                UsageProblem::LooksSecret,
            ),
            (
                "d41d8cd98f00b204e9800998ecf8427e",
                UsageProblem::LooksSecret,
            ),
            ("a\u{202e}b", UsageProblem::NotPlain),
            (" ", UsageProblem::NotPlain),
        ];
        for (label, problem) in cases {
            assert_eq!(own_words(label, &variables()), Err(problem), "{label}");
        }
        assert_eq!(own_words(&"a ".repeat(61), &[]), Err(UsageProblem::TooLong));
    }

    #[test]
    fn parameters_become_numbers_truth_values_and_text() {
        let typed = ["batch=8", "lr=1e-3", "amp=true", "mode=eager"].map(str::to_owned);
        let found = parameters(&typed, &[]).unwrap();
        assert_eq!(found["batch"], Scalar::from(8_u64));
        assert_eq!(found["amp"], Scalar::Bool(true));
        assert_eq!(found["lr"].to_string(), "0.001");
        assert_eq!(found["mode"], Scalar::from("eager"));
    }

    #[test]
    fn a_parameter_without_a_name_or_twice_is_refused() {
        assert_eq!(
            parameters(&["=8".to_owned()], &[]),
            Err(UsageProblem::Parameter)
        );
        assert_eq!(
            parameters(&["batch".to_owned()], &[]),
            Err(UsageProblem::Parameter)
        );
        assert_eq!(
            parameters(&["a=1".to_owned(), "a=2".to_owned()], &[]),
            Err(UsageProblem::Parameters)
        );
        assert_eq!(
            parameters(&["hf_token=x".to_owned()], &[]),
            Err(UsageProblem::LooksSecret)
        );
    }
}
