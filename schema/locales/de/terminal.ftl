### Die Kommandozeile.

terminal-error = Fehler:
terminal-hint = Hinweis:

## Prüfung
terminal-collecting = Fakten zum Fehler werden gesammelt
terminal-asking-host = nvidia-smi wird gefragt
terminal-installed = PyTorch { $version } ist installiert
terminal-no-backend = keines: Dieser Build ist für die CPU
terminal-visible = sichtbare Geräte: { $count }
terminal-right = exakt
terminal-wrong = falsch
terminal-first-pass = erster Durchlauf { $time }
terminal-following-pass = folgender Durchlauf { $time }
terminal-layer = Erste fehlerhafte Schicht:
terminal-owner = Zuständig:
terminal-message = Die Meldung der Software:
terminal-candidates = Es könnte auch sein:
terminal-evidence = Auffällige Fakten:
terminal-first-action = Tun Sie zuerst dies:
terminal-further-actions = Danach:
terminal-saved = Bericht gespeichert: { $file }
terminal-will-not-overwrite = Warnung: { $file } besteht schon und wird nicht überschrieben
terminal-note-interpreter = Geprüft: { $path }
terminal-note-passed-over = { $variable } wurde übergangen: { $reason }
terminal-note-evidence = Die vollständigen Meldungen bleiben auf diesem Rechner: { $path }
terminal-note-no-evidence = Die vollständigen Meldungen konnten auf diesem Rechner nicht aufbewahrt werden: { $problem }
terminal-note-unfinished = Eine frühere Prüfung wurde nie fertig; ihr letzter Schritt war „{ $stage }“. Dieser Schritt hat den Rechner womöglich blockiert.
terminal-note-unfinished-unknown = Eine frühere Prüfung wurde nie fertig und hinterließ keinen Schritt.
terminal-turn-repeat = Lauf { $number } von { $of }
terminal-turn-step = Schritt { $axis } = { $value }
terminal-turn-reference = Referenz: der Lauf ohne Unterbrechung
terminal-turn-stopped = Der Lauf, der angehalten wird
terminal-turn-continued = Der zweite Start
terminal-note-left-running = { $count ->
    [one] Ein Prozess ließ sich nicht beenden und wurde zurückgelassen; der Kernel hält ihn fest, wohl in einem Treiber.
   *[other] { $count } Prozesse ließen sich nicht beenden und wurden zurückgelassen; der Kernel hält sie fest, wohl in einem Treiber.
}
terminal-note-put-back = { $count ->
    [one] Eine Datei, die ein früherer Start beiseitegelegt hatte, liegt wieder an ihrem Platz.
   *[other] { $count } Dateien, die ein früherer Start beiseitegelegt hatte, liegen wieder an ihrem Platz.
}
terminal-note-left-over = Was ein früherer Lauf dort hinterlassen hat, liegt jetzt in { $path }
terminal-note-own-outputs = Was das Kommando diesmal hinterlassen hat, wird aufbewahrt in { $path }
terminal-note-kept-aside = Es gibt neuere Dateien, daher bleiben ältere, die ein früherer Start beiseitegelegt hatte, in { $path }
terminal-note-not-started = { $command } ließ sich nicht starten: { $why }
terminal-start-not-found = ein solches Kommando gibt es nicht
terminal-start-loader-missing = das Programm, das die erste Zeile nennt, oder der Lader fehlt
terminal-start-not-permitted = es ist nicht erlaubt, oder die Datei ist nicht ausführbar
terminal-start-is-a-folder = es ist ein Ordner
terminal-start-other-format = es ist kein Programm für diesen Rechner
terminal-start-other = das System lehnt es ab
terminal-project-unwritable = In diesem Ordner lässt sich nichts schreiben: { $file }: { $problem }
terminal-project-unwritable-hint = Mehrere Läufe eines Befehls brauchen Platz für das, was sie schreiben: Arbeiten Sie in einer Kopie des Projekts, in die Sie schreiben dürfen.
terminal-project-busy = In diesem Ordner arbeitet schon ein FirstFault.
terminal-project-busy-hint = Warten Sie darauf, oder arbeiten Sie in einer anderen Kopie des Projekts: Zwei würden dieselben Dateien schreiben.
terminal-set-aside-failed = { $file } ist im Weg und lässt sich nicht beiseitelegen: { $problem }
terminal-set-aside-hint = Verschieben Sie die Datei selbst, oder lassen Sie den Befehl woanders schreiben.
terminal-no-contract = Hier gibt es keinen Vertrag, und ohne ihn lässt sich nichts beweisen.
terminal-no-contract-hint = `firstfault init` schreibt firstfault.toml; legen Sie darin fest, wie die Ausgaben sein müssen, oder nennen Sie einen mit --contract.
terminal-host-answered = nvidia-smi hat geantwortet
terminal-host-notinstalled = kein nvidia-smi vorhanden; für ROCm gibt es diese Prüfung nicht
terminal-host-failed = nvidia-smi ist gescheitert
terminal-host-timedout = nvidia-smi wurde nach 3 s beendet

## Andere Befehle
terminal-no-fault = In diesem Text wurde kein Fehler gefunden.
terminal-line = Zeile { $line }
terminal-further-faults = Was der Text noch zeigt:
terminal-configuration = Konfiguration
terminal-results = Ergebnisse
terminal-one-only = { $count ->
    [one] Eine Angabe steht nur in einem der beiden Berichte (--json nennt sie)
   *[other] { $count } Angaben stehen nur in einem der beiden Berichte (--json nennt sie)
}
terminal-unchanged = { $count } unverändert
terminal-baseline = Vergleichsbasis
terminal-candidate = Kandidat
terminal-not-comparable = Nicht vergleichbar:
terminal-valid = { $file }: gültig, { $code }
terminal-invalid = { $file }: { $problem }
terminal-page-written = { $count ->
    [0] { $file }: eine leere Seite
    [one] { $file }: eine Seite mit einem Bericht
   *[other] { $file }: eine Seite mit { $count } Berichten
}

## Fehler
terminal-read-failed = { $file } kann nicht gelesen werden: { $problem }
terminal-save-failed = { $file } konnte nicht gespeichert werden: { $problem }
terminal-save-failed-hint = Wählen Sie einen anderen Ort; bestehende Dateien werden nie überschrieben.
terminal-log-too-large = { $file } hat mehr als { $limit } GiB
terminal-log-too-large-hint = Übergeben Sie den Teil um den Fehler, zum Beispiel mit `tail -c 100M`.
terminal-page-not-built = Dieses firstfault enthält die Seite nicht.
terminal-page-not-built-hint = Bauen Sie die Seite mit `cargo xtask page` und danach firstfault neu.
terminal-page-failed = Die Seite konnte nicht erstellt werden: { $problem }
terminal-libtorch-not-built = Dieser Installation fehlt der libtorch-Worker (firstfault-libtorch) neben dem Programm.
terminal-libtorch-not-built-hint = Verwenden Sie --engine python oder installieren Sie eine Ausgabe mit dem Worker.
terminal-no-libtorch = Es gibt kein libtorch zu prüfen: weder in der Umgebung noch als Angabe.
terminal-no-libtorch-hint = Geben Sie eines mit --libtorch DIR an oder verwenden Sie --engine python.
terminal-print-failed = In die Standardausgabe konnte nicht geschrieben werden: { $problem }
terminal-interrupted = abgebrochen; es wurde kein Bericht geschrieben
terminal-verdict-contract-holds = Die Ausgaben halten den Vertrag ein.
terminal-verdict-interrupted = Abgebrochen
terminal-verdict-cut-off = Die Arbeit endete vorzeitig; bewiesen ist nur, was vorher fertig war.
terminal-usage-parameter = --set braucht NAME=WERT, mit einem Namen aus Buchstaben, Ziffern, Punkten, Binde- und Unterstrichen
terminal-usage-parameter-hint = zum Beispiel --set batch=8
terminal-usage-parameters = Ein Parameter steht doppelt da, oder es sind mehr als 64 oder mehr als 12 KiB.
terminal-usage-parameters-hint = Nennen Sie jeden Parameter einmal.
terminal-usage-too-long = Eine Bezeichnung oder ein Parameter hat mehr als 120 Zeichen.
terminal-usage-too-long-hint = Wählen Sie etwas Kürzeres.
terminal-usage-not-plain = Eine Bezeichnung oder ein Parameter ist leer oder enthält unsichtbare Zeichen.
terminal-usage-not-plain-hint = Verwenden Sie einfache Wörter.
terminal-usage-looks-like-path = Eine Bezeichnung oder ein Parameter sieht wie ein Pfad aus.
terminal-usage-looks-like-path-hint = Ein Bericht enthält keine Pfade, damit er weitergegeben werden kann; verwenden Sie ein einfaches Wort.
terminal-usage-looks-secret = Eine Bezeichnung oder ein Parameter sieht wie ein Geheimnis oder ein persönlicher Name aus oder enthält den Wert einer Umgebungsvariablen.
terminal-usage-looks-secret-hint = Ein Bericht enthält nichts davon, damit er weitergegeben werden kann; verwenden Sie ein einfaches Wort.
terminal-usage-index-without-gpu = --device-index braucht eine GPU, verlangt wurde aber --device cpu.
terminal-usage-index-without-gpu-hint = Lassen Sie eines von beiden weg.
terminal-usage-command-hint = Stellen Sie -- vor Ihr eigenes Kommando: firstfault run -- python3 train.py

## Warum ein Betriebssystem eine Datei verweigert
io-not-found = Datei oder Ordner gibt es nicht
io-permission-denied = keine Berechtigung
io-already-exists = besteht schon
io-storage-full = kein Platz mehr auf dem Datenträger
io-file-too-large = die Datei würde größer als erlaubt
io-read-only = das Dateisystem ist schreibgeschützt
io-is-a-directory = das ist ein Ordner
io-not-a-directory = ein Teil des Pfads ist kein Ordner
io-invalid-data = es ist kein Text in UTF-8

## Warum eine Datei kein Bericht ist
report-error-empty = die Datei ist leer
report-error-too-large = die Datei hat { $found } MiB; ein Bericht hat höchstens { $limit } MiB
report-error-truncated = die Datei endet mittendrin (Zeile { $line }): sie wurde abgeschnitten
report-error-not-json = kein JSON (Zeile { $line }, Spalte { $column })
report-error-foreign = JSON, aber kein Bericht von FirstFault
report-error-too-new = von einer neueren Version: Format { $found }, diese Version liest bis { $supported }; aktualisieren Sie FirstFault, um die Datei zu öffnen
report-error-bad-version = das Feld „version“ ist keine positive ganze Zahl
report-error-shape = { $field }: { $problem }
report-error-rule = der Bericht widerspricht sich: { $field }: { $problem }

## Warum es keinen Interpreter gibt
interpreter-not-found = unter diesem Pfad liegt nichts
interpreter-broken-link = die Verknüpfung führt ins Leere; ihr Basis-Python wurde entfernt oder verschoben
interpreter-is-folder = das ist ein Ordner, kein Interpreter
interpreter-not-executable = diese Datei lässt sich nicht ausführen
interpreter-unreadable = dieser Pfad lässt sich nicht ansehen
interpreter-not-on-search-path = kein Ordner in PATH enthält dieses Programm
interpreter-none-found = keine aktive Umgebung, und weder python3 noch python in PATH
interpreter-shim-without-version = die hier gewählte pyenv-Version hat kein solches Python
interpreter-no-kernel = kein Jupyter-Kernel heißt so
interpreter-kernel-unreadable = die Beschreibung des Kernels ist nicht lesbar
interpreter-kernel-other-language = dieser Kernel ist nicht für Python
interpreter-kernel-wrapped = dieser Kernel startet ein anderes Programm, das erst Python startet
interpreter-process-unsupported = laufende Programme lassen sich nur unter Linux ansehen
interpreter-process-missing = es gibt keinen Prozess mit dieser Nummer
interpreter-process-other-user = der Prozess gehört einem anderen Benutzer; starten Sie firstfault als dieser Benutzer
interpreter-process-other-namespace = der Prozess lebt in einem anderen Container; starten Sie firstfault darin
interpreter-process-no-python = der Prozess ist kein Python-Programm
interpreter-process-replaced = der Interpreter wurde auf dem Datenträger ersetzt, seit der Prozess läuft
interpreter-process-unresolved = mit welchem Interpreter der Prozess gestartet wurde, ist nicht zu belegen
interpreter-process-variables-overwritten = der Prozess hat die Variablen überschrieben, mit denen er gestartet wurde
interpreter-process-denied = der Prozess darf nicht angesehen werden

## Interpreter
terminal-interpreters-none = Es wurde kein Python gefunden.
terminal-interpreters-python = Python
terminal-interpreters-kind = Art
terminal-interpreters-build = Build
terminal-interpreters-found-by = gefunden über
terminal-interpreters-path = Pfad
terminal-interpreters-missing = keines
terminal-interpreters-unresolved = unbekannt
terminal-interpreters-broken = nicht startbar
terminal-interpreters-cpu = CPU
terminal-interpreters-chosen = { $mark } untersucht `firstfault check`, wenn Sie nichts anderes angeben.
terminal-interpreters-problem = { $path }: { $problem }
terminal-origin-active = aktiv
terminal-origin-search-path = PATH
terminal-origin-project = Projekt
terminal-origin-conda = conda
terminal-origin-pyenv = pyenv
terminal-origin-collection = Ordner mit Umgebungen
terminal-origin-kernel = Kernel { $name }
terminal-origin-process = Prozess { $pid }

## Lauf
terminal-run-application = Anwendung
terminal-run-command = Kommando
terminal-run-exited = Rückgabewert
terminal-run-signalled = beendet durch
terminal-run-timed-out = am Zeitlimit angehalten
terminal-run-interrupted = durch Strg-C angehalten
terminal-run-not-started = ließ sich nicht starten
terminal-run-lost = beendet, niemand weiß wie
terminal-run-passes = Durchläufe
terminal-run-pass = Durchlauf { $number }
terminal-run-following = { $count } folgende: { $min } bis { $max }, Median { $median }, 95 % innerhalb von { $p95 }
terminal-run-unsynchronised = nicht synchronisiert: Diese Zeiten sagen nichts über die Arbeit des Geräts
terminal-run-memory = Speicher
terminal-run-resident = höchstens { $size } im Hauptspeicher
terminal-run-allocated = höchstens { $size } auf der GPU belegt
terminal-run-growth = wächst um { $size } je Durchlauf
terminal-run-kills = Beendigungen wegen Speichermangels: { $count }
terminal-run-phase-load = beim Laden
terminal-run-phase-first-computation = erste Berechnung
terminal-run-phase-plateau = über die Durchläufe gleichbleibend
terminal-run-phase-growth = wachsend
terminal-run-unfinished = nie beendet
terminal-run-stages-left-out = Weitere Abschnitte sind nicht gezeigt: { $count }.
terminal-run-contract = Vertrag
terminal-run-demanded = verlangt: { $value }
terminal-run-found = gefunden: { $value }
terminal-run-broken = verletzt: { $count }
terminal-run-checking-outputs = die Ausgaben werden am Vertrag gemessen
terminal-contract-written = Ein Vertrag zum Ausfüllen: { $file }
terminal-contract-unusable = Der Vertrag { $file } ist nicht brauchbar: { $problem }
terminal-contract-hint = `firstfault init` schreibt einen Vertrag mit Erläuterungen, mit dem Sie beginnen können.
terminal-contract-syntax = Zeile { $line } ist kein TOML: { $message }
terminal-contract-too-large = er ist größer als jeder Vertrag, der gelesen wird (höchstens { $most })
terminal-contract-unknown-key = diesen Schlüssel gibt es nicht; bekannt sind: { $known }
terminal-contract-missing = das muss angegeben sein
terminal-contract-wrong-type = der Typ ist ein anderer; verlangt: { $wanted }
terminal-wanted-text = ein Text
terminal-wanted-texts = ein Text oder eine Liste von Texten
terminal-wanted-number = eine Zahl
terminal-wanted-whole = eine ganze Zahl
terminal-wanted-truth = true oder false
terminal-wanted-table = eine Tabelle
terminal-wanted-tables = eine Tabelle oder mehrere
terminal-contract-bad-pattern = *, ? und Klammern darin ergeben kein Muster; [[] steht für die Klammer [ selbst
terminal-contract-no-format = weder format noch die Endung des Pfads nennt das Format; bekannt sind: { $known }
terminal-contract-not-one-of = es ist keines von diesen: { $known }
terminal-contract-out-of-range = diese Zahl kann nicht gemeint sein
terminal-contract-needs = daneben wird { $other } gebraucht
terminal-contract-does-not-fit = es passt nicht zu { $other }
terminal-contract-bad-name = der Name sieht nach einem Pfad oder Geheimnis aus oder kommt zweimal vor
terminal-contract-nothing-demanded = er verlangt nichts: Was das Kommando auch tut, es würde bestehen

## Reihe
terminal-sweep = Reihe entlang { $axis }
terminal-sweep-limit-device = Gerät
terminal-sweep-limit-control-group = Kontrollgruppe
terminal-sweep-limit-machine = Rechner
terminal-sweep-margin = { $percent } % müssen frei bleiben
terminal-sweep-no-margin = sie darf überschritten werden
terminal-sweep-continuing = { $count ->
    [one] Es geht weiter: Ein Schritt wurde schon gemessen. (--fresh beginnt von vorn.)
   *[other] Es geht weiter: { $count } Schritte wurden schon gemessen. (--fresh beginnt von vorn.)
}
terminal-sweep-good = gut
terminal-sweep-why-refused = verweigert
terminal-sweep-why-margin = Abstand verletzt
terminal-sweep-why-out-of-memory = Speicher zu klein
terminal-sweep-why-application-failed = Kommando scheitert
terminal-sweep-why-contract-failed = Vertrag verletzt
terminal-sweep-why-timeout = Zeit abgelaufen
terminal-sweep-why-budget = abgebrochen: Budget
terminal-sweep-why-interrupted = abgebrochen: Strg-C
terminal-sweep-would-need = bräuchte { $size }
terminal-sweep-of-limit = { $size } ({ $percent } %)
terminal-sweep-rate = { $rate }/s
terminal-sweep-column-peak = Spitze
terminal-sweep-percent = { $percent } %
terminal-sweep-column-share = davon
terminal-sweep-column-foretold = erwartet
terminal-sweep-column-throughput = Stück/s
terminal-sweep-column-first = erster
terminal-sweep-column-following = Median
terminal-sweep-whole-command = * über das ganze Kommando, mit allem, was es lädt
terminal-sweep-not-tried = Nicht versucht: { $values }
terminal-sweep-budget = Budget { $budget }; die Schritte brauchten { $spent }
terminal-sweep-good-to = gut bis { $value }
terminal-sweep-none-good = kein Schritt war gut
terminal-sweep-from-refused = ab { $value } verweigert: ließe weniger als { $percent } % von { $limit } frei
terminal-sweep-from-margin = bei { $value } angehalten: ließ weniger als { $percent } % von { $limit } frei
terminal-sweep-from-out-of-memory = bei { $value } reicht der Speicher nicht
terminal-sweep-from-application-failed = bei { $value } scheitert das Kommando
terminal-sweep-from-contract-failed = bei { $value } ist der Vertrag verletzt
terminal-sweep-from-timeout = bei { $value } läuft die Zeit ab
terminal-sweep-limit-beyond = jeder geplante Schritt war gut, die Grenze liegt also dahinter
terminal-sweep-ended-budget = das Budget war aufgebraucht
terminal-sweep-ended-attempts = die Zahl der Versuche war aufgebraucht
terminal-sweep-ended-interrupted = unterbrochen; dieselbe Kommandozeile setzt hier fort
terminal-sweep-stops-rising = der Durchsatz steigt ab { $value } nicht mehr
terminal-budget-too-short = das Budget war aufgebraucht, bevor der erste Schritt beendet war
terminal-budget-too-short-hint = geben Sie ein größeres --budget an: Allein die Prüfung dauert einige Sekunden
terminal-usage-axis = --axis braucht einen Namen und steigende Zahlen, höchstens 200
terminal-usage-axis-hint = zum Beispiel --axis batch=1,2,4,8 oder, verdoppelt bis zu einer Obergrenze, --axis batch=1..64
terminal-usage-axis-order = die Werte von --axis müssen steigen
terminal-usage-axis-order-hint = ordnen Sie sie, jeden nur einmal
terminal-usage-axis-not-in-command = das Kommando sagt nicht, wohin der Wert von --axis gehört
terminal-usage-axis-not-in-command-hint = setzen Sie dort den Namen in geschweifte Klammern, zum Beispiel --axis batch=1,2,4 -- python embed.py --batch {"{"}batch{"}"}

## Wiederholte Versuche
terminal-noise = Wiederholt: { $passed } von { $runs } Läufen bestanden
terminal-noise-to = bis

## Nachprüfung
terminal-recheck-same = nicht schlechter
terminal-recheck-better = besser
terminal-recheck-worse = schlechter
terminal-recheck-failed = fehlgeschlagen
terminal-recheck-not-comparable = nicht vergleichbar
terminal-recheck-bad-identifier = die Kennung dieses Berichts ist keine, die FirstFault vergibt
terminal-recheck-bad-identifier-hint = nehmen Sie den Bericht so, wie `firstfault check` oder `firstfault run` ihn geschrieben hat
terminal-recheck-other-kind = dieser Bericht gehört zu einer Reihe (sweep) oder zu einem Nachweis von Anhalten und Fortsetzen, die eine Nachprüfung nicht wiederholt
terminal-recheck-other-kind-hint = nehmen Sie einen Bericht von `firstfault check` oder `firstfault run` als Vergleichsbasis
terminal-recheck-no-command = der Befehl dieses Laufs ist hier nicht bekannt: Ein Bericht enthält ihn nicht, und was in .firstfault/attempts aufbewahrt wurde, ist fort oder liegt woanders
terminal-recheck-no-command-hint = geben Sie den Befehl nach `--` noch einmal an, oder arbeiten Sie im Ordner der Vergleichsbasis
terminal-recheck-command-for-check = dieser Bericht gehört zu einer Prüfung, und die hat keinen Befehl
terminal-recheck-command-for-check-hint = lassen Sie den Befehl weg, oder nehmen Sie einen Bericht von `firstfault run` als Vergleichsbasis
terminal-recheck-contract-for-check = dieser Bericht gehört zu einer Prüfung, und die hat weder einen Vertrag noch einen Befehl, der sich begrenzen ließe
terminal-recheck-contract-for-check-hint = lassen Sie --contract und --timeout weg; --check-timeout begrenzt die Prüfung

terminal-turn-kept = Referenz: von einem früheren Start beendet und aufbewahrt
terminal-note-reference-kept = Der Lauf ohne Anhalten wurde schon von einem früheren Start beendet; --fresh beginnt von vorn.
terminal-note-proof-continues = Der Lauf ohne Anhalten ist beendet und aufbewahrt: Dieselbe Befehlszeile macht von dort weiter.
terminal-own-folder = { $file } enthält den eigenen Ordner von FirstFault oder liegt darin und wird nie beiseitegelegt.
terminal-own-folder-hint = Nennen Sie im Vertrag nur, was der Befehl selbst schreibt.
terminal-nothing-to-compare = Der Vertrag nennt nichts, woran sich ein fortgesetzter Lauf messen ließe: weder Ausgaben noch ein Protokoll, dessen Verluste sich lesen lassen.
terminal-nothing-to-compare-hint = Nennen Sie eine [[output]] oder unter [training] das Protokoll mit seinem Verlust (loss) und, wo es sie zählt, seinem Schritt (step).
terminal-linked-output = { $file } ist eine Verknüpfung; so würden die Läufe einander die Ausgaben überschreiben.
terminal-linked-output-hint = Lassen Sie den Befehl die Datei selbst schreiben; eine Verknüpfung darauf kann anderswo liegen.
terminal-resume-stop = { $signal } bei { $point }
terminal-resume-took = angehalten nach { $time }
terminal-resume-took-of = angehalten nach { $time } von { $grace }
terminal-resume-yes = ja
terminal-resume-no = nein
terminal-resume-not-told = nicht feststellbar
terminal-resume-advice-memory = Er liegt im Arbeitsspeicher und vergeht mit dem Host: Schreiben Sie ihn auf eine Platte oder einen Netzspeicher.
terminal-resume-advice-layer = Er liegt in der eigenen Schicht des Containers und vergeht mit ihm: Hängen Sie dafür ein Volume ein.
terminal-resume-advice-in-place = Er wird an Ort und Stelle überschrieben; ein Stopp mittendrin beschädigt ihn: Schreiben Sie daneben, sichern Sie auf die Platte, benennen Sie dann um.
terminal-resume-advice-space = Die Kopien, die aufbewahrt werden sollen, brauchen mehr Platz, als frei ist.
