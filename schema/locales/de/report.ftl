### Die Wörter eines Berichts, gemeinsam für Terminal und Seite.

## Urteile, eines je Ergebniscode
code-gpu-check-passed = Die GPU arbeitet: Produkt und Gradient wurden auf ihr nachgeprüft.
code-cpu-check-passed = Die Berechnung auf der CPU stimmt. Eine GPU wurde nicht verlangt, über sie ist damit nichts gesagt.
code-torch-missing = In diesem Python gibt es kein PyTorch.
code-torch-import-failed = PyTorch ist installiert, lässt sich aber nicht importieren.
code-gpu-backend-absent = Dieser PyTorch-Build hat kein GPU-Backend.
code-gpu-unavailable = PyTorch hat ein GPU-Backend, aber dieser Prozess kann keine GPU nutzen.
code-device-index-invalid = Der verlangte Geräteindex liegt außerhalb der sichtbaren Geräte.
code-check-failed = Die Berechnung lief durch und lieferte ein falsches Ergebnis.
code-out-of-memory = Das Gerät hatte für eine winzige Belegung keinen Speicher.
code-runtime-error = Eine Operation des Backends ist auf dem Gerät fehlgeschlagen.
code-timeout = Die Prüfung wurde am Zeitlimit beendet.
code-worker-failed = Der Arbeitsprozess endete ohne brauchbare Antwort.
code-output-write-failed = Der Bericht konnte nicht am gewünschten Ort gespeichert werden.
code-application-failed = Die Anwendung schlug fehl, stürzte ab oder überschritt das Zeitlimit.
code-contract-failed = Die Anwendung endete ordentlich, aber ihre Ausgaben verletzen den Vertrag.
code-resume-failed = Beim Anhalten und Fortsetzen gingen Ausgaben verloren, wurden wiederholt oder verändert.
code-interpreter-failed = Das angegebene Python ließ sich nicht starten.

## Schichten, vom Interpreter hinunter zum Gerät und hinauf in die Anwendung
layer-interpreter = Interpreter
layer-interpreter-meaning = Das Python, das das Programm ausführt: das falsche, oder eines, das nicht startet.
layer-import = Import
layer-import-meaning = PyTorch ist vorhanden und lässt sich nicht importieren.
layer-package = Paket
layer-package-meaning = Der installierte Build oder seine Bibliotheken passen nicht: nur CPU, keine Kernel für diese Karte, andere CUDA-Generation.
layer-driver = Treiber
layer-driver-meaning = Kerneltreiber, Firmware, Hardware oder Fabric; oder ein zu alter Treiber.
layer-exposure = Freigabe
layer-exposure-meaning = Das Gerät ist da, aber nicht für diesen Prozess: Container, Rechte, Sichtbarkeitsvariablen, MIG, Compute-Modus.
layer-allocation = Speicherbelegung
layer-allocation-meaning = Die erste Speicherbelegung auf dem Gerät schlägt fehl.
layer-computation = Berechnung
layer-computation-meaning = Kernel schlagen fehl oder liefern falsche Ergebnisse.
layer-synchronization = Synchronisation
layer-synchronization-meaning = Verspätet eintreffende Fehler, Hänger und Zeiten, die nicht synchronisiert wurden.
layer-weights = Gewichte
layer-weights-meaning = Die Gewichte der Anwendung fehlen, sind abgeschnitten oder gehören zu etwas anderem.
layer-extension = Erweiterung
layer-extension-meaning = Ein kompilierter Zusatz der Anwendung.
layer-placement = Platzierung
layer-placement-meaning = Tensoren einer Operation liegen auf zwei Geräten.
layer-dtype = Zahlenformat
layer-dtype-meaning = Zahlenformate, die nicht zusammenpassen.
layer-memory = Speicher
layer-memory-meaning = Speicher beim Laden, bei der ersten Berechnung oder wachsend.
layer-data = Daten
layer-data-meaning = Laden der Daten, Ladeprozesse, gemeinsamer Speicher.
layer-output = Ausgabe
layer-output-meaning = Ausgaben sind falsch, fehlen, sind nicht endlich oder wiederholen sich.
layer-distribution = Verteilung
layer-distribution-meaning = Mehrere GPUs oder Ränge im Zusammenspiel.
layer-resume = Fortsetzung
layer-resume-meaning = Sauber anhalten und weiterarbeiten.

## Zuständige: wer handeln muss
owner-host = Host
owner-host-meaning = wer die Maschine betreibt
owner-image = Image
owner-image-meaning = wer den Container oder die Umgebung baut und startet
owner-package = Paket
owner-package-meaning = wer die Pakete installiert: Ein anderer Build ist nötig
owner-program = Programm
owner-program-meaning = Ihr eigener Code oder Ihre Einstellungen

## Ausgänge einer Entscheidung
outcome-passed = bestanden
outcome-passed-cpu-only = bestanden, nur CPU
outcome-failed = fehlgeschlagen
outcome-not-reached = nicht erreicht
outcome-not-requested = nicht verlangt
outcome-not-proven = nicht belegt

outcome-passed-meaning = Es wurde beobachtet, dass es funktioniert.
outcome-passed-cpu-only-meaning = Es wurde auf der CPU beobachtet; über eine GPU sagt das nichts.
outcome-failed-meaning = Es wurde beobachtet, dass es fehlschlägt.
outcome-not-reached-meaning = Etwas davor schlug fehl, deshalb wurde es nie versucht.
outcome-not-requested-meaning = Niemand hat danach gefragt.
outcome-not-proven-meaning = Etwas behauptet, bestanden zu haben, doch der Beleg fehlt oder widerspricht sich.

## Schritte eines Versuchs, der Reihe nach
stage-interpreter = Interpreter starten
stage-import = PyTorch importieren
stage-backend = Backend auslesen
stage-device = Gerät initialisieren
stage-allocation = Tensoren anlegen
stage-product = Produkt berechnen
stage-gradient = Gradient berechnen
stage-synchronize = Gerät synchronisieren
stage-application = Anwendung ausführen
stage-output = Bericht speichern

## Antworten des zweiten Zeugen, libtorch ohne Python
witness-agrees = stimmt überein: Er sah dasselbe
witness-disagrees = widerspricht: Er sah etwas anderes
witness-incompatible = unverträglich: für andere Bibliotheken gebaut, beschuldigt daher niemanden
witness-missing-library = der Lader kann eine Bibliothek nicht öffnen
witness-not-built = diese Installation hat keinen libtorch-Arbeitsprozess
witness-not-run = wurde nicht gefragt
witness-no-answer = endete ohne brauchbare Antwort
witness-decided = hat diesen Versuch selbst entschieden

## Die vier Entscheidungen
decision-interpreter = Interpreter und Import
decision-interpreter-passes = Das Python des Programms startet und importiert PyTorch.
decision-interpreter-fails = Interpreter und seine PyTorch-Installation
decision-interpreter-permits = Version und Backend dessen lesen, was wirklich importiert wurde
decision-backend = Backend und Gerät
decision-backend-passes = Das Paket hat ein GPU-Backend, und das Gerät ist in diesem Prozess nutzbar.
decision-backend-fails = Paket, Treiber, Freigabe der GPU (Container, Rechte), Index
decision-backend-permits = Auf der gewünschten GPU Speicher belegen
decision-computation = Kleine Berechnung
decision-computation-passes = Produkt, Gradient und Synchronisation einer festen 2×2-Berechnung in float32 stimmen auf diesem Gerät.
decision-computation-fails = Fehler bei Speicherbelegung, Kernel oder Synchronisation
decision-computation-permits = Eine verkleinerte Eingabe der Anwendung
decision-application = Repräsentative Anwendung
decision-application-passes = Ihr eigener Befehl erfüllt mit einer kleinen echten Eingabe seinen schriftlichen Vertrag.
decision-application-fails = Gewichte, Erweiterung, Zahlenformat, Speicher, falsche Ausgabe
decision-application-permits = Die echte Arbeit schrittweise steigern, entlang einer Achse

## Arten von Umgebung, Container, Backend und Host-Prüfung
environment-venv = virtuelle Umgebung
environment-conda = conda-Umgebung
environment-system = Interpreter des Systems
environment-other = anderer Interpreter
container-none = kein Container
container-docker = Docker
container-podman = Podman
container-kubernetes = Kubernetes
container-apptainer = Apptainer oder Singularity
container-lxc = LXC
container-wsl = Windows-Subsystem für Linux
container-other = ein anderer Container
backend-cuda = CUDA
backend-rocm = ROCm
backend-none = keines
device-gpu = GPU
device-cpu = CPU
engine-python = Python
engine-libtorch = libtorch
host-status-answered = hat geantwortet
host-status-not-installed = nvidia-smi ist hier nicht installiert
host-status-failed = ohne brauchbare Antwort fehlgeschlagen
host-status-timed-out = nach 3 s beendet
status-passed = bestanden
status-failed = fehlgeschlagen
