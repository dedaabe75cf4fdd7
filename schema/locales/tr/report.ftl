### Bir raporun sözcükleri; uçbirim ve sayfa için ortaktır.

## Hükümler: her sonuç kodu için bir tane
code-gpu-check-passed = GPU çalışıyor: çarpım ve gradyan onun üzerinde doğrulandı.
code-cpu-check-passed = CPU hesabı doğru. GPU istenmediği için GPU hakkında hiçbir şey söylenmiyor.
code-torch-missing = Bu Python’da PyTorch yok.
code-torch-import-failed = PyTorch kurulu, ancak içe aktarılamıyor.
code-gpu-backend-absent = Bu PyTorch derlemesinde GPU arka ucu yok.
code-gpu-unavailable = PyTorch’un GPU arka ucu var, ancak bu süreç bir GPU kullanamıyor.
code-device-index-invalid = İstenen aygıt dizini, görünen aygıtların dışında.
code-check-failed = Hesap çalıştı, ancak yanlış sonuç verdi.
code-out-of-memory = Aygıtta çok küçük bir ayırma için bile bellek yoktu.
code-runtime-error = Aygıt üzerinde bir arka uç işlemi başarısız oldu.
code-timeout = Denetim, süre sınırında durduruldu.
code-worker-failed = Çalışan süreç, kullanılabilir bir yanıt vermeden sona erdi.
code-output-write-failed = Rapor, istenen yere kaydedilemedi.
code-application-failed = Uygulama başarısız oldu, çöktü ya da süresi doldu.
code-contract-failed = Uygulama düzgün bitti, ancak çıktıları sözleşmeye uymuyor.
code-resume-failed = Durdurma ve sürdürme sırasında çıktılar kayboldu, yinelendi ya da değişti.
code-interpreter-failed = Belirtilen Python başlatılamadı.

## Katmanlar: yorumlayıcıdan aygıta iner, oradan uygulamaya çıkar
layer-interpreter = Yorumlayıcı
layer-interpreter-meaning = Programı çalıştıran Python: yanlış olan ya da başlamayan.
layer-import = İçe aktarma
layer-import-meaning = PyTorch var, ancak içe aktarılamıyor.
layer-package = Paket
layer-package-meaning = Kurulu derleme ya da kitaplıkları uymuyor: yalnızca CPU, bu kart için çekirdek yok, başka CUDA kuşağı.
layer-driver = Sürücü
layer-driver-meaning = Çekirdek sürücüsü, bellenim, donanım ya da bağlantı dokusu; ya da fazla eski bir sürücü.
layer-exposure = Erişim
layer-exposure-meaning = Aygıt var, ancak bu süreç için değil: kapsayıcı, izinler, görünürlük değişkenleri, MIG, işlem kipi.
layer-allocation = Bellek ayırma
layer-allocation-meaning = Aygıttaki ilk bellek ayırma başarısız oluyor.
layer-computation = Hesaplama
layer-computation-meaning = Çekirdekler başarısız oluyor ya da yanlış sonuç veriyor.
layer-synchronization = Eşzamanlama
layer-synchronization-meaning = Geç gelen hatalar, takılmalar ve eşzamanlanmamış süreler.
layer-weights = Ağırlıklar
layer-weights-meaning = Uygulamanın ağırlıkları eksik, yarım ya da başka bir modele ait.
layer-extension = Eklenti
layer-extension-meaning = Uygulamanın derlenmiş bir eklentisi.
layer-placement = Yerleşim
layer-placement-meaning = Tek bir işlemin tensörleri iki ayrı aygıtta.
layer-dtype = Sayı biçimi
layer-dtype-meaning = Birbirine uymayan sayı biçimleri.
layer-memory = Bellek
layer-memory-meaning = Yüklemede, ilk hesapta ya da giderek artan bellek.
layer-data = Veri
layer-data-meaning = Verinin yüklenmesi, yükleyici süreçler, paylaşılan bellek.
layer-output = Çıktı
layer-output-meaning = Çıktılar yanlış, eksik, sonlu değil ya da yinelenmiş.
layer-distribution = Dağıtım
layer-distribution-meaning = Birlikte çalışan birden çok GPU ya da sıra (rank).
layer-resume = Sürdürme
layer-resume-meaning = Temiz biçimde durmak ve devam etmek.

## Sorumlular: kimin harekete geçmesi gerekir
owner-host = Sunucu
owner-host-meaning = makineyi işleten
owner-image = İmaj
owner-image-meaning = kapsayıcıyı ya da ortamı kuran ve başlatan
owner-package = Paket
owner-package-meaning = paketleri kuran: başka bir derleme gerekiyor
owner-program = Program
owner-program-meaning = kendi kodunuz ya da ayarlarınız

## Bir kararın sonuçları
outcome-passed = geçti
outcome-passed-cpu-only = geçti, yalnızca CPU
outcome-failed = başarısız
outcome-not-reached = ulaşılmadı
outcome-not-requested = istenmedi
outcome-not-proven = kanıtlanmadı

outcome-passed-meaning = Çalıştığı görüldü.
outcome-passed-cpu-only-meaning = CPU üzerinde çalıştığı görüldü; bu, GPU hakkında bir şey söylemez.
outcome-failed-meaning = Başarısız olduğu görüldü.
outcome-not-reached-meaning = Ondan önceki bir adım başarısız oldu, bu yüzden hiç denenmedi.
outcome-not-requested-meaning = Kimse istemedi.
outcome-not-proven-meaning = Geçtiği öne sürülüyor, ancak kanıtı eksik ya da tutarsız.

## Bir denemenin aşamaları, sırayla
stage-interpreter = yorumlayıcıyı başlatma
stage-import = PyTorch’u içe aktarma
stage-backend = arka ucu okuma
stage-device = aygıtı hazırlama
stage-allocation = tensörleri ayırma
stage-product = çarpımı hesaplama
stage-gradient = gradyanı hesaplama
stage-synchronize = aygıtı eşzamanlama
stage-application = uygulamayı çalıştırma
stage-output = raporu kaydetme

## İkinci tanığın yanıtları: Python olmadan libtorch
witness-agrees = aynı görüşte: aynısını gördü
witness-disagrees = farklı görüşte: başka bir şey gördü
witness-incompatible = uyumsuz: başka kitaplıklar için derlenmiş, bu yüzden kimseyi suçlamaz
witness-missing-library = yükleyici bir kitaplığı açamıyor
witness-not-built = bu kurulumda libtorch çalışanı yok
witness-not-run = sorulmadı
witness-no-answer = kullanılabilir bir yanıt vermeden sona erdi
witness-decided = bu denemeye kendisi karar verdi

## Dört karar
decision-interpreter = Yorumlayıcı ve içe aktarma
decision-interpreter-passes = Programın Python’u başlar ve PyTorch’u içe aktarır.
decision-interpreter-fails = Yorumlayıcı ve PyTorch kurulumu
decision-interpreter-permits = Gerçekten içe aktarılanın sürümünü ve arka ucunu okumak
decision-backend = Arka uç ve aygıt
decision-backend-passes = Paketin bir GPU arka ucu vardır ve aygıt bu süreçte kullanılabilir.
decision-backend-fails = Paket, sürücü, GPU’ya erişim (kapsayıcı, izinler), dizin
decision-backend-permits = İstenen GPU’da bellek ayırmak
decision-computation = Küçük hesap
decision-computation-passes = Sabit bir 2×2 float32 hesabının çarpımı, gradyanı ve eşzamanlaması o aygıtta doğrudur.
decision-computation-fails = Bellek ayırma, çekirdek ya da eşzamanlama hatası
decision-computation-permits = Uygulamanın küçültülmüş bir girdisi
decision-application = Temsil edici uygulama
decision-application-passes = Kendi komutunuz, küçük ve gerçek bir girdiyle yazılı sözleşmesini karşılar.
decision-application-fails = Ağırlıklar, eklenti, sayı biçimi, bellek, yanlış çıktı
decision-application-permits = Gerçek işi tek bir eksende, adım adım büyütmek

## Ortam, kapsayıcı, arka uç ve sunucu denetimi türleri
environment-venv = sanal ortam
environment-conda = conda ortamı
environment-system = sistem yorumlayıcısı
environment-other = başka bir yorumlayıcı
container-none = kapsayıcı yok
container-docker = Docker
container-podman = Podman
container-kubernetes = Kubernetes
container-apptainer = Apptainer ya da Singularity
container-lxc = LXC
container-wsl = Linux için Windows Alt Sistemi
container-other = başka bir kapsayıcı
backend-cuda = CUDA
backend-rocm = ROCm
backend-none = yok
device-gpu = GPU
device-cpu = CPU
engine-python = Python
engine-libtorch = libtorch
host-status-answered = yanıt verdi
host-status-not-installed = nvidia-smi burada kurulu değil
host-status-failed = kullanılabilir bir yanıt vermeden başarısız oldu
host-status-timed-out = 3 saniye sonra durduruldu
status-passed = geçti
status-failed = başarısız
