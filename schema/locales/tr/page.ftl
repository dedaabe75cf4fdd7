### Sayfanın sözcükleri.
start-sentence = Bir PyTorch programı ile GPU’su arasındaki ilk başarısız katmanı bulun.
drop-hint = Raporları buraya bırakın; istediğiniz kadar.
drop-now = Açmak için bırakın
open-reports = Rapor seçin
open-more = Aç
private = Açtığınız hiçbir şey bu tarayıcıdan çıkmaz.
private-why = Bu sayfanın kendi ilkesi bir şey yüklemesini ya da göndermesini yasaklar; ağ bağlantısı olmadan da çalışır.
skip = İçeriğe geç
language = Dil
dark = Koyu
nav-label = Açık raporlar
nav-all =
    { $count ->
        [one] Bir rapor
       *[other] Tümü ({ $count })
    }
nav-compare = Karşılaştır
examples-heading = Elinizde rapor yok mu?
examples-gallery = Hata galerisini açın: her katman için bir rapor
example-fault = Fazla eski bir sürücü
example-fault-about = Tek rapor: ilk başarısız katman, kimin işi olduğu, önce ne yapılacağı.
example-compare = Daha küçük bir sayı biçimi
example-compare-about = Yan yana iki deneme: tek değişiklik; daha iyi, daha kötü ya da gürültü.
example-application = Sonlu olmayan çıktılar
example-application-about = Düzgün biten ama sözleşmesini bozan bir uygulama.
example-limit = Paya kadar
example-limit-about = Bir eksendeki çalışma aralığı: nereye kadar güvenli, nereden sonra artırmak işe yaramıyor.
log-heading = Ya da bir günlük yapıştırın
log-hint = Bir traceback, bir işin çıktısı, collect_env metni. Sonuçlar değil, ilk neden adlandırılır.
log-explain = Açıkla
log-faults =
    { $count ->
        [0] Bu metinde bilinen bir hata yok.
        [one] Bu metinde bir hata var.
       *[other] Bu metinde { $count } hata var; ilk neden en başta.
    }
log-line = satır { $line }
reading = Dosyalar okunuyor: { $read } / { $chosen }
notices-heading = Açılmadı
notices-dismiss = Kapat
notices-more =
    { $count ->
        [one] Ve bir dosya daha.
       *[other] Ve { $count } dosya daha.
    }
notice-huge = { $found } büyüklüğünde ve okunmadı: { $limit } üzerindeki dosyalar hiçbir zaman rapor değildir.
notice-folder = bir klasör. Lütfen içindeki dosyaları seçin ya da bırakın.
notice-unreadable = okunamadı. Taşınmış olabilir ya da tarayıcının okuma izni yoktur.
notice-empty-page = rapor taşımayan bir FirstFault sayfası.
notice-foreign-page = bir web sayfası, ancak FirstFault’a ait değil ya da bozuk.
notice-already-open = zaten açık.
notice-empty = boş.
notice-too-large = { $found } büyüklüğünde; bir rapor en çok { $limit } olabilir.
notice-truncated = { $line }. satırda, ortasında bitiyor: kesilmiş. Lütfen yeniden kopyalayın.
notice-not-json = JSON değil: satır { $line }, sütun { $column }. Bir günlük için başlangıç sayfasındaki kutuyu kullanın.
notice-foreign = JSON, ancak bir FirstFault raporu değil.
notice-too-new = daha yeni bir sürümle yapılmış: biçim { $found }; bu sayfa { $supported } sürümüne kadar okur. Lütfen daha yeni bir sayfa kullanın.
notice-bad-version = sayı olan bir sürüm belirtmiyor.
notice-shape = eksik ya da yanlış türde bir alan içeriyor:
notice-rule = kendisiyle çelişiyor:
copy = Kopyala
copied = Kopyalandı
copy-refused = Tarayıcı izin vermiyor. Lütfen elle kopyalayın:
copy-by-hand = Kopyalanacak metin
copy-markdown = Markdown olarak kopyala
copy-ticket = Sunucu için bildirimi kopyala
copy-json = JSON olarak kopyala
print = Yazdır
compare-this = Başkasıyla karşılaştır
close-report = Bu raporu kapat
close-all = Tümünü kapat
text-show-all = { $count } karakterin tümünü göster
exit-code = çıkış { $code }
checked-gpu = GPU { $index } istendi
checked-cpu = CPU istendi
heading-layers = Katmanlar
first-fault-here = İlk başarısız katman: { $layer }.
heading-first-action = Önce bunu yapın
heading-next-step = Sonraki adım
whose-job = Kimin işi:
misleads = Burada yanıltan:
more-actions =
    { $count ->
        [one] Bir adım daha
       *[other] { $count } adım daha
    }
other-candidates = Aynı kanıtlar şunlara da uyar
heading-decisions = Dört karar
decision-control = Denetim
decision-outcome = Sonuç
decision-if-fails = Başarısızsa bakılacak yer
decision-permits = Geçmesi neye izin verir
heading-evidence = Kanıtlar
heading-witnesses = İki tanık
witness-second = İkinci tanık, Python olmadan libtorch:
facts-diagnosis = Hükmün dayanağı
facts-pytorch = PyTorch
facts-devices = Bu sürecin gördüğü GPU’lar
facts-system = Yorumlayıcı ve sistem
facts-host = Sunucu
facts-parameters = Bildirilen parametreler
field-layer = İlk başarısız katman
field-signature = Hata
field-message = İleti
field-pytorch-version = İçe aktarılan sürüm
field-installed-version = Kurulu sürüm
field-backend = Arka uç
field-cuda-version = Derlemenin CUDA’sı
field-hip-version = Derlemenin HIP’i
field-gpu-available = GPU kullanılabilir
field-visible-devices = Görünen GPU sayısı
field-architectures = Derlenmiş mimariler
field-device = GPU { $index }
field-identity = Kart (tuzlu özet)
field-python = Python
field-environment = Ortam
field-system = Sistem
field-container = Kapsayıcı
field-host-status = nvidia-smi
field-host-gpu = Sunucunun GPU’su
field-driver-version = Sürücü
field-result-device = Sonucun aygıtı
field-product = Çarpım doğru
field-gradient = Gradyan doğru
field-synchronized = Eşzamanlandı, kanıt doğru
field-loss = Kayıp değeri (196 doğru)
field-import-time = İçe aktarma ya da yükleme
field-first-pass = İlk geçiş
field-following-pass = Sonraki geçiş
field-cpu-control = CPU’daki denetim tam
field-gpu-hooks = GPU kitaplığı yüklendi
field-missing-library = Eksik
value-missing = –
value-true = evet
value-false = hayır
memory-used-of = { $total } belleğin { $used } kadarı dolu
memory-by-processes = { $size } sürücünün adlandırdığı süreçlerde
heading-proofs = Bu neyi kanıtlar, neyi kanıtlamaz
heading-proves = Kanıtlar
heading-open = Kanıtlamaz
proves-nothing = Çalıştığı görülen bir şey yok.
proves-import = Programın Python’u başlıyor ve PyTorch’u içe aktarıyor.
proves-backend = GPU bu süreçte hazırlanabiliyor.
proves-computation = Küçük bir hesap ve gradyanı o GPU’da doğruydu ve GPU eşzamanlandı.
proves-computation-cpu = Küçük bir hesap ve gradyanı CPU’da doğruydu.
proves-application = Komut, bu girdiyle yazılı sözleşmesini karşıladı.
proves-resume = Komut temiz biçimde duruyor ve sürüyor.
proves-limit = Bir eksendeki sınır adım adım ölçüldü.
proves-first-fault = Bu katman başarısız ve ilk başarısız olan o.
open-gpu = CUDA, ROCm ya da bir GPU hakkında hiçbir şeyi.
open-application = Kendi programınızın çalıştığını.
open-later-layers = Sonraki katmanların sağlam olduğunu: onlara ulaşılmadı.
open-full-size = Tam boyuttaki bellek gereksinimini.
open-speed = Bir modelin hızını.
open-extensions = Kullanılmayan derlenmiş eklentileri.
open-several-gpus = Birden çok GPU’nun birlikte çalışmasını.
heading-tools = Yanınıza alın
every-field = Kaydedilen her alan
compare-baseline = Temel
compare-candidate = Aday
compare-swap = Yer değiştir
compare-open = Bu raporu aç
compare-field = Alan
compare-change = Değişiklik
heading-configuration = Yapılandırma
heading-results = Sonuçlar
configuration-same = Yapılandırmada fark yok.
results-same = Sonuçlarda fark yok.
unchanged-count =
    { $count ->
        [one] Bir alan değişmedi, göster
       *[other] { $count } alan değişmedi, göster
    }
many-heading =
    { $count ->
        [one] Bir rapor
       *[other] { $shown } rapor
    }
many-groups = İlk başarısız katmana göre raporlar
many-search = Etiket, kod, GPU ya da sürücüye göre süzün
many-matching =
    { $count ->
        [one] Bir eşleşme
       *[other] { $shown } eşleşme
    }
many-none = Uyan rapor yok. Daha az sözcük deneyin.
many-more =
    { $count ->
        [one] Bir tane daha göster
       *[other] Daha fazla göster ({ $shown } gizli)
    }
column-label = Etiket
column-code = Kod
column-device = GPU
column-driver = Sürücü
column-pytorch = PyTorch
column-started = Başlangıç
heading-dossier = Uygulama
heading-contract = Sözleşme, madde madde
contract-none = Çalıştırmanın sözleşmesi yoktu: çıktıları kimse denetlemedi.
contract-met =
    { $of ->
        [one] Tek maddeden karşılanan: { $met }.
       *[other] { $of } maddeden karşılanan: { $met }.
    }
contract-hints =
    { $count ->
        [one] Yanlarında, girdinin asıl işin girdisine yakınlığı üzerine bir not var. Bu not bir şey istemez.
       *[other] Yanlarında, girdinin asıl işin girdisine yakınlığı üzerine { $count } not var. Bu notlar bir şey istemez.
    }
contract-hint = not; koşul değil
contract-point = Madde
contract-expected = İstenen
contract-found = Bulunan
contract-broken =
    { $count ->
        [one] bir öğe buna uymuyor
       *[other] { $count } öğe buna uymuyor
    }
contract-output-count = Çıktı sayısı
contract-each-id-once = Her kimlik bir kez
contract-dimension = Her çıktının boyutu
contract-all-finite = Tüm değerler sonlu
contract-unit-norm = Her çıktının normu
contract-input-readable = Girdi okunabiliyor
contract-input-ids-unique = Girdideki kimlikler birbirinden farklı
contract-representative-longest = Asıl işe göre en uzun örnek
contract-representative-count = Asıl işe göre örnek sayısı
contract-output-written = Bu çalıştırmada yazılan çıktılar
contract-well-formed = Her kayıt okunabiliyor
contract-ids-missing = Kaybolan kimlikler
contract-ids-repeated = Yinelenen kimlikler
contract-ids-unknown = Girdide bulunmayan kimlikler
contract-value-range = Değerlerin aralığı
contract-metric = Ölçüt
contract-loss-finite = Her kayıp değeri sonlu
contract-parameters-changed = Değişen parametreler
contract-parameters-kept = Aynı kalan parametreler
contract-parameters-finite = Sonlu parametreler
contract-checkpoint-opens = Denetim noktaları açılabiliyor
contract-model-mode = Modelin kipi
contract-stages-ended = Biten aşamalar
contract-word-missing = yok
contract-word-older-than-run = bu çalıştırmadan eski
contract-word-not-a-file = dosya değil
contract-word-empty = boş
contract-word-unreadable = okunamıyor
contract-word-wrong-format = başka bir biçim
contract-word-truncated = ortasında bitiyor
contract-word-too-long = okunamayacak kadar uzun
contract-word-not-utf8 = UTF-8 değil
contract-word-no-id = kimlik yok
contract-word-no-field = böyle bir alan yok
contract-word-wrong-type = başka bir tür
contract-word-duplicate-key = aynı anahtar iki kez
contract-word-not-finite = sonlu değil
contract-word-blank = boş bir hücre (sözleşmedeki blank = "skip" bunları atlar)
contract-word-corrupt = sağlama toplamı tutmuyor
contract-word-different-shapes = adlar veya boyutlar farklı
contract-word-lfs-pointer = dosyanın yerine bir git-lfs işaretçisi
contract-word-not-told = bildirilmedi
contract-word-evaluation = değerlendirme
contract-word-training = eğitim
field-command = Komut
field-first-fault = İlk hata
field-last-stage = Tamamlanan son aşama
field-input-count = Girdideki örnekler
field-input-longest = En uzun örnek
field-input-digest = Girdinin özeti (başı)
field-model-parameters = Model parametreleri
field-model-dtypes = Sayı biçimleri
field-model-devices = Modelin aygıtları
field-model-mode = Kip
field-pass-first = İlk geçiş
field-pass-following = Sonraki geçişler
passes-following = { $count } geçiş: ortanca { $median }, { $min } ile { $max } arası, %95’i { $p95 } içinde
field-memory-peak = En yüksek bellek
field-memory-phase = Ne zaman ulaşıldı
memory-allocated = { $size } tensörlerce ayrılmış
memory-reserved = { $size } ayırıcı tarafından rezerve edilmiş
memory-resident = { $size } yerleşik
mode-training = eğitim
mode-evaluation = değerlendirme
phase-load = yüklemede
phase-first-computation = ilk hesapta
phase-plateau = bir düzlükte: artmıyor
phase-growth = sonuna dek artarak
heading-timeline = Zaman içinde aşamalar ve bellek
timeline-alternative = Her aşama için bir çubuk ve üzerinde bellek bulunan zaman ekseni; aynısı aşağıda liste olarak var.
stage-bar = { $name }, geçiş { $pass }: başlangıç { $began }, { $duration }
stage-never-ended = hiç bitmedi
legend-allocated = tensörlerce ayrılan
legend-reserved = ayırıcının rezerve ettiği
legend-resident = yerleşik bellek
as-table = Liste olarak
heading-resume = Durdurma ve sürdürme
resume-finding-clean = Zamanında durdu, kaldığı yerden sürdü: kayıp, yineleme ya da değişiklik yok.
resume-finding-ended-before = Durdurulamadan kendiliğinden bitti: hiçbir şey kanıtlanmadı.
resume-finding-did-not-stop = Verilen sürede durmadı ve zorla sonlandırıldı.
resume-finding-checkpoint-damaged = Durduktan sonra bir denetim noktası açılamadı.
resume-finding-continuation-failed = İkinci başlatma başarısız oldu, çöktü ya da süresini aştı.
resume-finding-outputs-lost = Çıktılar yitirildi.
resume-finding-outputs-repeated = Bazı çıktılar iki kez var.
resume-finding-outputs-changed = Durmadan önceki çıktılar değişti.
resume-finding-outputs-differ = Çıktılar, hiç durmayan bir çalıştırmanınkilerden farklı.
resume-finding-training-diverged = Sürdürdükten sonra kayıp değeri, hiç durmayan eğitiminkinden farklı.
resume-finding-contract-broken = Sürdürdükten sonra çıktılar sözleşmenin başka bir maddesini bozuyor.
resume-finding-began-anew = İkinci başlatma tüm işi yeniden yaptı: sürdürme değil, baştan başlama. Hiçbir şey kanıtlanmadı.
resume-unclean = Durdurup sürdürme temiz değil.
resume-signal = Durduran
resume-stopped-at = Durdurulduğu yer
trigger-stage = aşama { $value }
trigger-pass = geçiş { $value }
trigger-outputs = { $value } çıktı
trigger-seconds = { $value } s
trigger-checkpoint = bir denetim noktası yazılırken
resume-stop = Durma süresi
time-of = { $time } / { $limit }
resume-ending = Nasıl bitti
ending-exited = kendiliğinden, çıkış kodu { $detail }
ending-signalled = { $detail } ile
ending-timed-out = süre sınırında
ending-interrupted = Ctrl-C ile
ending-not-started = başlatılamadı
ending-lost = bilinmiyor
resume-what = Ne
resume-reference = Hiç durmadan
resume-before = Durduğunda
resume-after = Sürdürdükten sonra
resume-outputs = Çıktılar
resume-passes = Geçişler
resume-lost = Yitirilen
resume-repeated = Yinelenen
resume-changed = Değişen
resume-different = Farklı
resume-unknown = Bilinmeyen
resume-meaning-lost = hiç durmayan çalıştırmada var, sürdürdükten sonra yok
resume-meaning-repeated = iki kez var
resume-meaning-changed = durmadan önce yazıldı, sonra değişti
resume-meaning-different = durduktan sonra yazıldı, hiç durmayan çalıştırmadakinden farklı
resume-meaning-unknown = hiç durmayan çalıştırmada yok
resume-not-compared = karşılaştırılmadı
resume-tolerance = tolerans { $value }
resume-examples = Örneğin
heading-loss = Sürdürdükten sonra eğitim
loss-chart = Adımlar boyunca kayıp değeri
loss-reference = hiç durmadan
loss-resumed = sürdürülen
loss-moment = burada sürdürüldü
loss-hint = Hüküm değil, ipucu:
loss-shape-jump = kayıp değeri aynı verilerde sıçrıyor. Önce eniyileyicinin ve rastgele sayıların durumuna bakın.
loss-shape-drift = kayıp değeri, başka verilerdeymiş gibi ayrı bir yol izliyor. Önce verideki konuma bakın.
loss-shape-offset = kayıp değeri birkaç adım kaymış olarak aynı seyrediyor. Önce zamanlayıcının adım sayısına bakın.
loss-steps = Adımlar: hiç durmadan · sürdürülen
loss-resumed-at = Sürdürdükten sonraki ilk adım
loss-differing = Farklı olan adımlar
loss-largest = En büyük fark
loss-first-differs = Daha ilk adım farklı
heading-checkpoints = Denetim noktaları süreç ve sunucu bitince kalır mı?
checkpoint = Denetim noktası
checkpoint-outlives = Sunucudan sonra kalır
checkpoint-at-once = Tek adımda değiştirilir
checkpoint-opened = SIGKILL sonrası açılır
checkpoint-while-writing = yazılırken sonlandırıldı
checkpoint-not-tried = denenmedi
checkpoint-space = Boyut × kopya
checkpoint-size = { $size } × { $copies }
checkpoint-free = { $size } boş
heading-tensors = Tensörler
tensor-name = Ad
tensor-shape = Biçim
tensor-dtype = Sayı biçimi
tensor-device = Aygıt
heading-sweep = Çalışma aralığı
verdict-left-out = Yorumlayıcı, aygıt ve hesaplama denetlenmedi.
sweep-good = { $axis } ekseninde son iyi adım { $value }.
sweep-none-good = { $axis } ekseninde hiçbir adım iyi değildi.
sweep-bad = { $value } kötüydü: { $why }.
sweep-refused = { $value } başlamadan reddedildi: { $why }.
sweep-ended = Sonra bitti: { $why }.
sweep-ended-all-good = planlanan her adım iyiydi, sınır daha ötede
sweep-ended-margin = istenen pay kalmazdı
sweep-ended-out-of-memory = bellek yetmedi
sweep-ended-application-failed = komut başarısız oldu
sweep-ended-contract-failed = çıktılar sözleşmeyi bozdu
sweep-ended-timeout = adımın süresi doldu
sweep-ended-budget = tümü için ayrılan süre bitti
sweep-ended-attempts = deneme sayısı bitti
sweep-ended-interrupted = yarıda kesildi
chart-over = { $what } ({ $axis } boyunca)
sweep-peak = En yüksek bellek
sweep-measured = Ölçülen
sweep-predicted = Adımdan önce öngörülen
sweep-limit = sınır { $size }
sweep-limit-left = pay düşülünce { $size }
sweep-throughput = Saniyedeki öğe
sweep-stops = artık artmıyor
sweep-last-good = son iyi: { $value }
sweep-first-bad = ilk kötü: { $value }
sweep-first-refused = ilk reddedilen: { $value }
sweep-step-refused = reddedildi
sweep-following = Sonraki geçişler, ortanca
throughput-of-passes = ilkinden sonraki geçişler
throughput-of-command = yükleme dahil tüm komut
field-limit = Bellek sınırı
memory-limit-device = aygıtın belleği
memory-limit-control-group = denetim grubunun sınırı
memory-limit-machine = makinenin belleği
field-margin = Boş kalması gereken
sweep-no-margin = hiç: sınıra ulaşmasına izin verildi
field-throughput-of = Hızın ölçüldüğü bölüm
field-throughput-stops = Hızın artmadığı yer
field-not-tried = Planlanan, denenmeyen
field-spent = Harcanan süre
field-continued = Önceki başlatmadan adımlar
heading-noise = Sayılara ne kadar güvenilebilir
noise-runs = Aynı deneme { $runs } kez yapıldı; { $passed } tanesi geçti.
noise-use = Aralarında hiçbir şey değiştirilmedi: bu yayılım içindeki fark gürültüdür.
noise-measure = Ölçü
noise-min = En düşük
noise-median = Ortanca
noise-max = En yüksek
noise-spread = Yayılım
month-1 = Ocak
month-2 = Şubat
month-3 = Mart
month-4 = Nisan
month-5 = Mayıs
month-6 = Haziran
month-7 = Temmuz
month-8 = Ağustos
month-9 = Eylül
month-10 = Ekim
month-11 = Kasım
month-12 = Aralık
group-passed = Geçti
group-failed = Geçti, ama kaydedilemedi

## Olguların değerleri
fact-value-unset = ayarlı değil
fact-value-empty = boş ayarlı
fact-value-set = ayarlı
fact-value-odd = kullanılamaz ayarlı
fact-value-missing = yok
fact-value-openable = açılabiliyor
fact-value-denied = erişim reddedildi
fact-value-failing = açılırken hata veriyor
fact-value-loaded = yüklü
fact-value-absent = yüklü değil
fact-value-passed = aktarılmış
fact-value-not-passed = aktarılmamış
fact-value-nodes-only = yalnızca aygıt düğümleri
fact-value-libraries-only = yalnızca kitaplıklar
fact-value-timed-out = süresinde yanıt yok
fact-value-library-missing = kitaplık yok
fact-value-version-mismatch = sürümler uyuşmuyor
fact-value-finished = bitti
fact-value-unfinished = hiç bitmedi
fact-value-jump = aynı verilerde sıçrıyor
fact-value-drift = başka seyrediyor
fact-value-offset = adımlarca kaymış
