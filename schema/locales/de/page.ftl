### Die Wörter der Seite.
start-sentence = Finden Sie die erste fehlerhafte Schicht zwischen einem PyTorch-Programm und seiner GPU.
drop-hint = Legen Sie Berichte hier ab, so viele Sie möchten.
drop-now = Zum Öffnen loslassen
open-reports = Berichte auswählen
open-more = Öffnen
private = Nichts, was Sie öffnen, verlässt diesen Browser.
private-why = Die eigene Richtlinie dieser Seite verbietet ihr, etwas zu laden oder zu senden; sie funktioniert auch ohne Netz.
skip = Zum Inhalt springen
language = Sprache
dark = Dunkel
nav-label = Geöffnete Berichte
nav-all =
    { $count ->
        [one] Ein Bericht
       *[other] Alle { $count }
    }
nav-compare = Vergleichen
examples-heading = Kein Bericht zur Hand?
examples-gallery = Fehlersammlung öffnen: ein Bericht je Schicht
example-fault = Ein zu alter Treiber
example-fault-about = Ein Bericht: die erste fehlerhafte Schicht, wer zuständig ist, was zuerst zu tun ist.
example-compare = Ein kleineres Zahlenformat
example-compare-about = Zwei Versuche nebeneinander: eine Änderung, besser, schlechter oder Rauschen.
example-application = Ausgaben, die nicht endlich sind
example-application-about = Eine Anwendung, die ordentlich endet und ihren Vertrag verletzt.
example-limit = Bis an den Abstand
example-limit-about = Der Arbeitsbereich entlang einer Achse: wie weit es sicher ist und ab wo mehr nichts mehr bringt.
log-heading = Oder fügen Sie ein Protokoll ein
log-hint = Ein Traceback, die Ausgabe eines Jobs, der Text von collect_env. Genannt wird die erste Ursache, nicht ihre Folgen.
log-explain = Erklären
log-faults =
    { $count ->
        [0] In diesem Text steht kein bekannter Fehler.
        [one] In diesem Text steht ein Fehler.
       *[other] In diesem Text stehen { $count } Fehler, die erste Ursache zuerst.
    }
log-line = Zeile { $line }
reading = Dateien werden gelesen: { $read } von { $chosen }
notices-heading = Nicht geöffnet
notices-dismiss = Verwerfen
notices-more =
    { $count ->
        [one] Und eine weitere Datei.
       *[other] Und { $count } weitere Dateien.
    }
notice-huge = hat { $found } und wurde nicht gelesen: Dateien über { $limit } sind nie Berichte.
notice-folder = ist ein Ordner. Bitte wählen Sie die Dateien darin aus oder legen Sie diese hier ab.
notice-unreadable = konnte nicht gelesen werden. Vielleicht wurde die Datei verschoben, oder der Browser darf sie nicht lesen.
notice-empty-page = ist eine FirstFault-Seite, die keine Berichte enthält.
notice-foreign-page = ist eine Webseite, aber keine von FirstFault, oder sie ist beschädigt.
notice-already-open = ist bereits geöffnet.
notice-empty = ist leer.
notice-too-large = hat { $found }; ein Bericht hat höchstens { $limit }.
notice-truncated = endet mittendrin, in Zeile { $line }: Die Datei wurde abgeschnitten. Bitte kopieren Sie sie noch einmal.
notice-not-json = ist kein JSON: Zeile { $line }, Spalte { $column }. Für ein Protokoll ist das Feld auf der Startseite da.
notice-foreign = ist JSON, aber kein FirstFault-Bericht.
notice-too-new = wurde von einer neueren Version geschrieben: Format { $found }, diese Seite liest bis { $supported }. Bitte verwenden Sie eine neuere Seite.
notice-bad-version = nennt keine Version, die eine Zahl ist.
notice-shape = hat ein Feld, das fehlt oder von falscher Art ist:
notice-rule = widerspricht sich selbst:
copy = Kopieren
copied = Kopiert
copy-refused = Der Browser lässt es nicht zu. Bitte kopieren Sie von Hand:
copy-by-hand = Text zum Kopieren
copy-markdown = Als Markdown kopieren
copy-ticket = Ticket für den Host kopieren
copy-json = Als JSON kopieren
print = Drucken
compare-this = Mit einem anderen vergleichen
close-report = Diesen Bericht schließen
close-all = Alle schließen
text-show-all = Alle { $count } Zeichen zeigen
exit-code = Exit { $code }
checked-gpu = GPU { $index } verlangt
checked-cpu = CPU verlangt
heading-layers = Schichten
first-fault-here = Erste fehlerhafte Schicht: { $layer }.
heading-first-action = Das zuerst
heading-next-step = Nächster Schritt
whose-job = Zuständig:
misleads = Was hier irreführt:
more-actions =
    { $count ->
        [one] Eine weitere Maßnahme
       *[other] { $count } weitere Maßnahmen
    }
other-candidates = Dieselben Belege passen auch auf
heading-decisions = Vier Entscheidungen
decision-control = Prüfung
decision-outcome = Ausgang
decision-if-fails = Wenn es fehlschlägt, prüfen
decision-permits = Bestanden erlaubt
heading-evidence = Belege
heading-witnesses = Zwei Zeugen
witness-second = Der zweite Zeuge, libtorch ohne Python:
facts-diagnosis = Worauf das Urteil beruht
facts-pytorch = PyTorch
facts-devices = GPUs, die dieser Prozess sieht
facts-system = Interpreter und System
facts-host = Host
facts-parameters = Angegebene Parameter
field-layer = Erste fehlerhafte Schicht
field-signature = Fehler
field-message = Meldung
field-pytorch-version = Importierte Version
field-installed-version = Installierte Version
field-backend = Backend
field-cuda-version = CUDA des Builds
field-hip-version = HIP des Builds
field-gpu-available = GPU verfügbar
field-visible-devices = Sichtbare GPUs
field-architectures = Kompilierte Architekturen
field-device = GPU { $index }
field-identity = Karte (Hash mit Salt)
field-python = Python
field-environment = Umgebung
field-system = System
field-container = Container
field-host-status = nvidia-smi
field-host-gpu = GPU des Hosts
field-driver-version = Treiber
field-result-device = Gerät des Ergebnisses
field-product = Produkt richtig
field-gradient = Gradient richtig
field-synchronized = Synchronisiert, Beleg richtig
field-loss = Verlustwert (196 ist richtig)
field-import-time = Import oder Laden
field-first-pass = Erster Durchgang
field-following-pass = Folgender Durchgang
field-cpu-control = Kontrolle auf der CPU exakt
field-gpu-hooks = GPU-Bibliothek geladen
field-missing-library = Fehlt
value-missing = –
value-true = ja
value-false = nein
memory-used-of = { $used } von { $total } belegt
memory-by-processes = { $size } von Prozessen, die der Treiber nennt
heading-proofs = Was das beweist und was nicht
heading-proves = Beweist
heading-open = Beweist nicht
proves-nothing = Es wurde nichts beobachtet, das funktioniert.
proves-import = Das Python des Programms startet und importiert PyTorch.
proves-backend = Die GPU lässt sich in diesem Prozess initialisieren.
proves-computation = Eine kleine Berechnung und ihr Gradient waren auf dieser GPU richtig, und sie wurde synchronisiert.
proves-computation-cpu = Eine kleine Berechnung und ihr Gradient waren auf der CPU richtig.
proves-application = Der Befehl hat mit dieser Eingabe seinen schriftlichen Vertrag erfüllt.
proves-resume = Der Befehl hält sauber an und setzt sauber fort.
proves-limit = Die Grenze entlang einer Achse wurde Schritt für Schritt gemessen.
proves-first-fault = Diese Schicht ist fehlerhaft, und sie ist die erste.
open-gpu = Irgendetwas über CUDA, ROCm oder eine GPU.
open-application = Dass Ihr eigenes Programm funktioniert.
open-later-layers = Dass spätere Schichten in Ordnung sind: Sie wurden nicht erreicht.
open-full-size = Den Speicherbedarf bei voller Größe.
open-speed = Die Geschwindigkeit eines Modells.
open-extensions = Kompilierte Erweiterungen, die nicht benutzt wurden.
open-several-gpus = Das Zusammenspiel mehrerer GPUs.
heading-tools = Zum Mitnehmen
every-field = Jedes erfasste Feld
compare-baseline = Vergleichsbasis
compare-candidate = Kandidat
compare-swap = Tauschen
compare-open = Diesen Bericht öffnen
compare-field = Feld
compare-change = Änderung
heading-configuration = Konfiguration
heading-results = Ergebnisse
configuration-same = Kein Unterschied in der Konfiguration.
results-same = Kein Unterschied in den Ergebnissen.
unchanged-count =
    { $count ->
        [one] Ein Feld unverändert, zeigen
       *[other] { $count } Felder unverändert, zeigen
    }
many-heading =
    { $count ->
        [one] Ein Bericht
       *[other] { $shown } Berichte
    }
many-groups = Berichte nach erster fehlerhafter Schicht
many-search = Nach Bezeichnung, Code, GPU oder Treiber filtern
many-matching =
    { $count ->
        [one] Einer passt
       *[other] { $shown } passen
    }
many-none = Kein Bericht passt. Versuchen Sie es mit weniger Wörtern.
many-more =
    { $count ->
        [one] Einen weiteren zeigen
       *[other] Weitere zeigen ({ $shown } verborgen)
    }
column-label = Bezeichnung
column-code = Code
column-device = GPU
column-driver = Treiber
column-pytorch = PyTorch
column-started = Begonnen
heading-dossier = Anwendung
heading-contract = Vertrag, Punkt für Punkt
contract-none = Der Lauf hatte keinen Vertrag: Niemand hat seine Ausgaben geprüft.
contract-met =
    { $of ->
        [one] { $met } von einem Punkt ist erfüllt.
       *[other] { $met } von { $of } Punkten sind erfüllt.
    }
contract-hints =
    { $count ->
        [one] Daneben steht ein Hinweis, wie nahe die Eingabe an die der endgültigen Arbeit heranreicht. Er verlangt nichts.
       *[other] Daneben stehen { $count } Hinweise, wie nahe die Eingabe an die der endgültigen Arbeit heranreicht. Sie verlangen nichts.
    }
contract-hint = ein Hinweis, keine Forderung
contract-point = Punkt
contract-expected = Verlangt
contract-found = Gefunden
contract-broken =
    { $count ->
        [one] ein Eintrag verletzt ihn
       *[other] { $count } Einträge verletzen ihn
    }
contract-output-count = Anzahl der Ausgaben
contract-each-id-once = Jede Kennung genau einmal
contract-dimension = Dimension jeder Ausgabe
contract-all-finite = Alle Werte endlich
contract-unit-norm = Norm jeder Ausgabe
contract-input-readable = Die Eingabe ist lesbar
contract-input-ids-unique = Kennungen der Eingabe sind verschieden
contract-representative-longest = Längstes Beispiel, gemessen an der endgültigen Arbeit
contract-representative-count = Anzahl der Beispiele, gemessen an der endgültigen Arbeit
contract-output-written = Ausgaben aus diesem Lauf
contract-well-formed = Jeder Datensatz ist lesbar
contract-ids-missing = Verlorene Kennungen
contract-ids-repeated = Wiederholte Kennungen
contract-ids-unknown = Kennungen, die die Eingabe nicht hat
contract-value-range = Bereich der Werte
contract-metric = Messwert
contract-loss-finite = Jeder Verlustwert endlich
contract-parameters-changed = Geänderte Parameter
contract-parameters-kept = Unverändert gebliebene Parameter
contract-parameters-finite = Endliche Parameter
contract-checkpoint-opens = Checkpoints lassen sich öffnen
contract-model-mode = Modus des Modells
contract-stages-ended = Beendete Abschnitte
contract-word-missing = fehlt
contract-word-older-than-run = älter als dieser Lauf
contract-word-not-a-file = keine Datei
contract-word-empty = leer
contract-word-unreadable = nicht lesbar
contract-word-wrong-format = anderes Format
contract-word-truncated = bricht mittendrin ab
contract-word-too-long = zu lang zum Lesen
contract-word-not-utf8 = kein UTF-8
contract-word-no-id = keine Kennung
contract-word-no-field = kein solches Feld
contract-word-wrong-type = anderer Typ
contract-word-duplicate-key = derselbe Schlüssel zweimal
contract-word-not-finite = nicht endlich
contract-word-blank = eine leere Zelle (blank = "skip" im Vertrag übergeht solche)
contract-word-corrupt = Prüfsumme stimmt nicht
contract-word-different-shapes = andere Namen oder Formen
contract-word-lfs-pointer = ein git-lfs-Verweis statt der Datei
contract-word-not-told = nicht angegeben
contract-word-evaluation = Auswertung
contract-word-training = Training
field-command = Befehl
field-first-fault = Erster Fehler
field-last-stage = Letzter beendeter Abschnitt
field-input-count = Beispiele in der Eingabe
field-input-longest = Längstes Beispiel
field-input-digest = Prüfsumme der Eingabe (Anfang)
field-model-parameters = Modellparameter
field-model-dtypes = Zahlenformate
field-model-devices = Geräte des Modells
field-model-mode = Modus
field-pass-first = Erster Durchgang
field-pass-following = Folgende Durchgänge
passes-following = { $count } Durchgänge: Median { $median }, { $min } bis { $max }, 95 % innerhalb von { $p95 }
field-memory-peak = Höchster Speicherstand
field-memory-phase = Wann er erreicht wurde
memory-allocated = { $size } von Tensoren belegt
memory-reserved = { $size } vom Allokator reserviert
memory-resident = { $size } resident
mode-training = Training
mode-evaluation = Auswertung
phase-load = beim Laden
phase-first-computation = bei der ersten Berechnung
phase-plateau = auf einem Plateau: Er wächst nicht
phase-growth = bis zum Ende wachsend
heading-timeline = Abschnitte und Speicher über die Zeit
timeline-alternative = Zeitachse mit einem Balken je Abschnitt und dem Speicher darüber; darunter dasselbe als Liste.
stage-bar = { $name }, Durchgang { $pass }: begann bei { $began }, { $duration }
stage-never-ended = endete nie
legend-allocated = von Tensoren belegt
legend-reserved = vom Allokator reserviert
legend-resident = residenter Speicher
as-table = Als Liste
heading-resume = Anhalten und Fortsetzen
resume-finding-clean = Rechtzeitig angehalten und an derselben Stelle fortgesetzt: Nichts ging verloren, nichts wurde wiederholt oder verändert.
resume-finding-ended-before = Das Programm endete von selbst, bevor es angehalten werden konnte: Nichts ist bewiesen.
resume-finding-did-not-stop = Es hielt in der gegebenen Zeit nicht an und musste gewaltsam beendet werden.
resume-finding-checkpoint-damaged = Ein Checkpoint ließ sich nach dem Anhalten nicht öffnen.
resume-finding-continuation-failed = Der zweite Start schlug fehl, stürzte ab oder brauchte zu lange.
resume-finding-outputs-lost = Ausgaben gingen verloren.
resume-finding-outputs-repeated = Ausgaben stehen doppelt da.
resume-finding-outputs-changed = Ausgaben von vor dem Anhalten wurden verändert.
resume-finding-outputs-differ = Ausgaben weichen von denen eines Laufs ohne Anhalten ab.
resume-finding-training-diverged = Nach dem Fortsetzen weicht der Verlustwert von dem eines Trainings ohne Anhalten ab.
resume-finding-contract-broken = Nach dem Fortsetzen verletzen die Ausgaben den Vertrag in einem anderen Punkt.
resume-finding-began-anew = Der zweite Start begann von vorn: ein Neustart, keine Fortsetzung. Nichts ist bewiesen.
resume-unclean = Anhalten und Fortsetzen ist nicht sauber.
resume-signal = Angehalten durch
resume-stopped-at = Angehalten bei
trigger-stage = Abschnitt { $value }
trigger-pass = Durchgang { $value }
trigger-outputs = { $value } Ausgaben
trigger-seconds = { $value } s
trigger-checkpoint = dem Schreiben eines Checkpoints
resume-stop = Zeit zum Anhalten
time-of = { $time } von { $limit }
resume-ending = Wie es endete
ending-exited = von selbst, Exit-Code { $detail }
ending-signalled = durch { $detail }
ending-timed-out = an der Zeitgrenze
ending-interrupted = durch Strg-C
ending-not-started = es ließ sich nicht starten
ending-lost = unbekannt
resume-what = Was
resume-reference = Ohne Anhalten
resume-before = Beim Anhalten
resume-after = Nach dem Fortsetzen
resume-outputs = Ausgaben
resume-passes = Durchgänge
resume-lost = Verloren
resume-repeated = Wiederholt
resume-changed = Verändert
resume-different = Abweichend
resume-unknown = Unbekannt
resume-meaning-lost = ohne Anhalten da, nach dem Fortsetzen nicht
resume-meaning-repeated = doppelt vorhanden
resume-meaning-changed = vor dem Anhalten geschrieben, danach anders
resume-meaning-different = nach dem Anhalten geschrieben, anders als ohne
resume-meaning-unknown = ein Lauf ohne Anhalten hat sie nicht
resume-not-compared = nicht verglichen
resume-tolerance = Toleranz { $value }
resume-examples = Zum Beispiel
heading-loss = Training nach dem Fortsetzen
loss-chart = Verlustwert über die Schritte
loss-reference = ohne Anhalten
loss-resumed = fortgesetzt
loss-moment = hier fortgesetzt
loss-hint = Ein Hinweis, kein Urteil:
loss-shape-jump = Der Verlustwert springt, bei denselben Daten. Prüfen Sie zuerst den Zustand des Optimierers und der Zufallszahlen.
loss-shape-drift = Der Verlustwert nimmt einen anderen Weg, wie bei anderen Daten. Prüfen Sie zuerst die Stelle in den Daten.
loss-shape-offset = Der Verlustwert verläuft gleich, um einige Schritte versetzt. Prüfen Sie zuerst den Schrittzähler des Schedulers.
loss-steps = Schritte ohne Anhalten · fortgesetzt
loss-resumed-at = Erster Schritt nach dem Fortsetzen
loss-differing = Abweichende Schritte
loss-largest = Größte Abweichung
loss-first-differs = Schon der erste Schritt weicht ab
heading-checkpoints = Überdauern die Checkpoints Prozess und Host?
checkpoint = Checkpoint
checkpoint-outlives = Überdauert den Host
checkpoint-at-once = In einem Schritt ersetzt
checkpoint-opened = Lässt sich nach SIGKILL öffnen
checkpoint-while-writing = beim Schreiben beendet
checkpoint-not-tried = nicht versucht
checkpoint-space = Größe × Kopien
checkpoint-size = { $size } × { $copies }
checkpoint-free = { $size } frei
heading-tensors = Tensoren
tensor-name = Name
tensor-shape = Form
tensor-dtype = Zahlenformat
tensor-device = Gerät
heading-sweep = Arbeitsbereich
verdict-left-out = Interpreter, Gerät und Berechnung wurden nicht geprüft.
sweep-good = Entlang { $axis } ist { $value } der letzte gute Schritt.
sweep-none-good = Entlang { $axis } war kein Schritt gut.
sweep-bad = { $value } war schlecht: { $why }.
sweep-refused = { $value } wurde vor dem Start verweigert: { $why }.
sweep-ended = Dann endete es: { $why }.
sweep-ended-all-good = jeder geplante Schritt war gut, die Grenze liegt dahinter
sweep-ended-margin = der verlangte Abstand bliebe nicht frei
sweep-ended-out-of-memory = der Speicher reichte nicht
sweep-ended-application-failed = der Befehl schlug fehl
sweep-ended-contract-failed = die Ausgaben verletzten den Vertrag
sweep-ended-timeout = die Zeit des Schritts lief ab
sweep-ended-budget = die Zeit für das Ganze war aufgebraucht
sweep-ended-attempts = die Zahl der Versuche war aufgebraucht
sweep-ended-interrupted = es wurde unterbrochen
chart-over = { $what } über { $axis }
sweep-peak = Höchster Speicherstand
sweep-measured = Gemessen
sweep-predicted = Vor dem Schritt vorhergesagt
sweep-limit = Grenze { $size }
sweep-limit-left = abzüglich Abstand { $size }
sweep-throughput = Einträge je Sekunde
sweep-stops = steigt nicht mehr
sweep-last-good = zuletzt gut: { $value }
sweep-first-bad = zuerst schlecht: { $value }
sweep-first-refused = zuerst verweigert: { $value }
sweep-step-refused = verweigert
sweep-following = Folgende Durchgänge, Median
throughput-of-passes = Durchgänge nach dem ersten
throughput-of-command = ganzer Befehl, samt Laden
field-limit = Speichergrenze
memory-limit-device = Speicher des Geräts
memory-limit-control-group = Grenze der Kontrollgruppe
memory-limit-machine = Speicher des Rechners
field-margin = Muss frei bleiben
sweep-no-margin = nichts: Die Grenze durfte erreicht werden
field-throughput-of = Durchsatz gemessen über
field-throughput-stops = Durchsatz steigt nicht mehr ab
field-not-tried = Geplant, nicht versucht
field-spent = Verbrauchte Zeit
field-continued = Schritte aus einem früheren Start
heading-noise = Wie weit den Zahlen zu trauen ist
noise-runs = Derselbe Versuch, { $runs }-mal gemacht; { $passed } davon bestanden.
noise-use = Dazwischen wurde nichts geändert: Ein Unterschied innerhalb dieser Streuung ist Rauschen.
noise-measure = Messgröße
noise-min = Niedrigster
noise-median = Median
noise-max = Höchster
noise-spread = Streuung
month-1 = Januar
month-2 = Februar
month-3 = März
month-4 = April
month-5 = Mai
month-6 = Juni
month-7 = Juli
month-8 = August
month-9 = September
month-10 = Oktober
month-11 = November
month-12 = Dezember
group-passed = Bestanden
group-failed = Bestanden, aber nicht gespeichert

## Werte von Fakten
fact-value-unset = nicht gesetzt
fact-value-empty = leer gesetzt
fact-value-set = gesetzt
fact-value-odd = unbrauchbar gesetzt
fact-value-missing = fehlt
fact-value-openable = lässt sich öffnen
fact-value-denied = Zugriff verweigert
fact-value-failing = scheitert beim Öffnen
fact-value-loaded = geladen
fact-value-absent = nicht geladen
fact-value-passed = durchgereicht
fact-value-not-passed = nicht durchgereicht
fact-value-nodes-only = nur Geräteknoten
fact-value-libraries-only = nur Bibliotheken
fact-value-timed-out = keine Antwort in der Zeit
fact-value-library-missing = Bibliothek fehlt
fact-value-version-mismatch = Versionen passen nicht zusammen
fact-value-finished = beendet
fact-value-unfinished = nie beendet
fact-value-jump = springt, bei denselben Daten
fact-value-drift = verläuft anders
fact-value-offset = um Schritte versetzt
