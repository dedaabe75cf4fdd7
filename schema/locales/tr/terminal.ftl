### Komut satırı.

terminal-error = hata:
terminal-hint = ipucu:

## Denetim
terminal-collecting = hatayla ilgili olgular toplanıyor
terminal-asking-host = nvidia-smi soruluyor
terminal-installed = PyTorch { $version } kurulu
terminal-no-backend = yok: bu derleme CPU için
terminal-visible = görünen aygıt sayısı: { $count }
terminal-right = tam doğru
terminal-wrong = yanlış
terminal-first-pass = ilk geçiş { $time }
terminal-following-pass = sonraki geçiş { $time }
terminal-layer = İlk hatalı katman:
terminal-owner = Kimin işi:
terminal-message = Yazılımın iletisi:
terminal-candidates = Şu da olabilir:
terminal-evidence = Öne çıkan olgular:
terminal-first-action = Önce şunu yapın:
terminal-further-actions = Ardından:
terminal-saved = Rapor kaydedildi: { $file }
terminal-will-not-overwrite = uyarı: { $file } zaten var ve üzerine yazılmayacak
terminal-note-interpreter = Denetlenen: { $path }
terminal-note-passed-over = { $variable } atlandı: { $reason }
terminal-note-evidence = İletilerin tamamı bu makinede kalır: { $path }
terminal-note-no-evidence = İletilerin tamamı bu makinede saklanamadı: { $problem }
terminal-note-unfinished = Önceki bir denetim hiç bitmedi; son aşaması “{ $stage }” idi. Bu adım makineyi kilitlemiş olabilir.
terminal-note-unfinished-unknown = Önceki bir denetim hiç bitmedi ve aşama bırakmadı.
terminal-turn-repeat = Çalıştırma { $number } / { $of }
terminal-turn-step = Adım { $axis } = { $value }
terminal-turn-reference = Referans: kesintisiz çalıştırma
terminal-turn-stopped = Durdurulan çalıştırma
terminal-turn-continued = İkinci başlatma
terminal-note-left-running = { $count ->
    [one] Bir süreç sonlandırılamadı ve bırakıldı; çekirdek onu büyük olasılıkla bir sürücüde tutuyor.
   *[other] { $count } süreç sonlandırılamadı ve bırakıldı; çekirdek onları büyük olasılıkla bir sürücüde tutuyor.
}
terminal-note-put-back = { $count ->
    [one] Önceki bir başlatmanın kenara koyduğu dosya yerine geri kondu.
   *[other] Önceki bir başlatmanın kenara koyduğu { $count } dosya yerine geri kondu.
}
terminal-note-left-over = Önceki bir çalıştırmanın orada bıraktıkları şurada saklanıyor: { $path }
terminal-note-own-outputs = Komutun bu kez bıraktıkları şurada saklanıyor: { $path }
terminal-note-kept-aside = Daha yeni dosyalar var; önceki bir başlatmanın kenara koyduğu eskiler şurada kalıyor: { $path }
terminal-note-not-started = { $command } başlatılamadı: { $why }
terminal-start-not-found = böyle bir komut yok
terminal-start-loader-missing = ilk satırında adı geçen program ya da yükleyicisi eksik
terminal-start-not-permitted = buna izin yok ya da dosya çalıştırılabilir değil
terminal-start-is-a-folder = bu bir klasör
terminal-start-other-format = bu makine için bir program değil
terminal-start-other = sistem bunu reddediyor
terminal-project-unwritable = Bu klasöre yazılamıyor: { $file }: { $problem }
terminal-project-unwritable-hint = Bir komutun birkaç kez çalıştırılması, yazdıkları için yer ister: projenin yazabildiğiniz bir kopyasında çalışın.
terminal-project-busy = Bu klasörde başka bir FirstFault çalışıyor.
terminal-project-busy-hint = Bitmesini bekleyin ya da projenin başka bir kopyasında çalışın: ikisi aynı dosyalara yazardı.
terminal-set-aside-failed = { $file } yolda duruyor ve kenara konamıyor: { $problem }
terminal-set-aside-hint = Dosyayı kendiniz taşıyın ya da komutun başka bir yere yazmasını sağlayın.
terminal-no-contract = Burada sözleşme yok; sözleşme olmadan hiçbir şey kanıtlanamaz.
terminal-no-contract-hint = `firstfault init`, firstfault.toml dosyasını yazar; çıktıların nasıl olması gerektiğini orada belirtin ya da --contract ile bir sözleşme gösterin.
terminal-host-answered = nvidia-smi yanıt verdi
terminal-host-notinstalled = burada nvidia-smi yok; ROCm için böyle bir denetim bulunmuyor
terminal-host-failed = nvidia-smi başarısız oldu
terminal-host-timedout = nvidia-smi 3 saniye sonra durduruldu

## Diğer komutlar
terminal-no-fault = Bu metinde hata bulunmadı.
terminal-line = satır { $line }
terminal-further-faults = Metnin gösterdiği diğerleri:
terminal-configuration = Yapılandırma
terminal-results = Sonuçlar
terminal-one-only = { $count ->
    [one] Bir bilgi iki rapordan yalnızca birinde var (--json gösterir)
   *[other] { $count } bilgi iki rapordan yalnızca birinde var (--json gösterir)
}
terminal-unchanged = { $count } değişmedi
terminal-baseline = temel
terminal-candidate = aday
terminal-not-comparable = Karşılaştırılamaz:
terminal-valid = { $file }: geçerli, { $code }
terminal-invalid = { $file }: { $problem }
terminal-page-written = { $count ->
    [0] { $file }: boş bir sayfa
    [one] { $file }: bir rapor içeren sayfa
   *[other] { $file }: { $count } rapor içeren sayfa
}

## Hatalar
terminal-read-failed = { $file } okunamıyor: { $problem }
terminal-save-failed = { $file } kaydedilemedi: { $problem }
terminal-save-failed-hint = Başka bir yer seçin; var olan dosyaların üzerine asla yazılmaz.
terminal-log-too-large = { $file } { $limit } GiB’tan büyük
terminal-log-too-large-hint = Hatanın çevresindeki bölümü verin, örneğin `tail -c 100M` ile.
terminal-page-not-built = Bu firstfault sayfayı içermiyor.
terminal-page-not-built-hint = Önce `cargo xtask page` ile sayfayı, sonra firstfault’u yeniden derleyin.
terminal-page-failed = Sayfa oluşturulamadı: { $problem }
terminal-libtorch-not-built = Bu kurulumda programın yanında libtorch çalışanı (firstfault-libtorch) yok.
terminal-libtorch-not-built-hint = --engine python kullanın ya da çalışanı içeren bir sürüm kurun.
terminal-no-libtorch = İncelenecek bir libtorch yok: ne ortamda var ne de belirtildi.
terminal-no-libtorch-hint = --libtorch DIR ile belirtin ya da --engine python kullanın.
terminal-print-failed = Standart çıktıya yazılamadı: { $problem }
terminal-interrupted = kesildi; rapor yazılmadı
terminal-verdict-contract-holds = Çıktılar sözleşmeye uyuyor.
terminal-verdict-interrupted = Kesildi
terminal-verdict-cut-off = iş tamamlanmadan durduruldu; yalnızca daha önce bitenler kanıtlandı.
terminal-usage-parameter = --set için AD=DEĞER gerekir; ad harf, rakam, nokta, tire ve alt çizgiden oluşur
terminal-usage-parameter-hint = örneğin --set batch=8
terminal-usage-parameters = Bir parametre iki kez geçiyor ya da 64’ten fazla veya 12 KiB’tan büyük parametre var.
terminal-usage-parameters-hint = Her parametreyi bir kez yazın.
terminal-usage-too-long = Bir etiket ya da parametre 120 karakterden uzun.
terminal-usage-too-long-hint = Daha kısasını seçin.
terminal-usage-not-plain = Bir etiket ya da parametre boş ya da görünmeyen karakterler içeriyor.
terminal-usage-not-plain-hint = Sade sözcükler kullanın.
terminal-usage-looks-like-path = Bir etiket ya da parametre dosya yoluna benziyor.
terminal-usage-looks-like-path-hint = Paylaşılabilmesi için raporda dosya yolu bulunmaz; sade bir sözcük kullanın.
terminal-usage-looks-secret = Bir etiket ya da parametre gizli bir bilgiye veya kişi adına benziyor ya da bir ortam değişkeninin değerini içeriyor.
terminal-usage-looks-secret-hint = Paylaşılabilmesi için raporda bunlar bulunmaz; sade bir sözcük kullanın.
terminal-usage-index-without-gpu = --device-index bir GPU ister, ama --device cpu istendi.
terminal-usage-index-without-gpu-hint = İkisinden birini çıkarın.
terminal-usage-command-hint = Kendi komutunuzdan önce -- yazın: firstfault run -- python3 train.py

## İşletim sistemi bir dosyayı neden reddeder
io-not-found = böyle bir dosya ya da klasör yok
io-permission-denied = izin yok
io-already-exists = zaten var
io-storage-full = diskte yer kalmadı
io-file-too-large = dosya izin verilenden büyük olurdu
io-read-only = dosya sistemi salt okunur
io-is-a-directory = bu bir klasör
io-not-a-directory = yolun bir bölümü klasör değil
io-invalid-data = bu, UTF-8 metni değil

## Bir dosya neden rapor değil
report-error-empty = dosya boş
report-error-too-large = dosya { $found } MiB; bir rapor en çok { $limit } MiB olur
report-error-truncated = dosya ortada bitiyor (satır { $line }): kesilmiş
report-error-not-json = JSON değil (satır { $line }, sütun { $column })
report-error-foreign = JSON, ama FirstFault raporu değil
report-error-too-new = daha yeni bir sürümle yazılmış: biçim { $found }, bu sürüm en çok { $supported } okur; açmak için FirstFault’u güncelleyin
report-error-bad-version = “version” alanı pozitif bir tam sayı değil
report-error-shape = { $field }: { $problem }
report-error-rule = rapor kendisiyle çelişiyor: { $field }: { $problem }

## Neden yorumlayıcı yok
interpreter-not-found = bu yolda bir şey yok
interpreter-broken-link = bağlantı boşa çıkıyor; temel Python kaldırılmış ya da taşınmış
interpreter-is-folder = bu bir klasör, yorumlayıcı değil
interpreter-not-executable = bu dosya çalıştırılamıyor
interpreter-unreadable = bu yola bakılamıyor
interpreter-not-on-search-path = PATH’teki hiçbir klasörde bu program yok
interpreter-none-found = etkin ortam yok; PATH’te ne python3 ne de python var
interpreter-shim-without-version = burada seçilen pyenv sürümünde böyle bir Python yok
interpreter-no-kernel = bu adda bir Jupyter çekirdeği yok
interpreter-kernel-unreadable = çekirdeğin tanımı okunamıyor
interpreter-kernel-other-language = bu çekirdek Python için değil
interpreter-kernel-wrapped = bu çekirdek, Python’u başlatan başka bir programı başlatıyor
interpreter-process-unsupported = çalışan programlara yalnızca Linux’ta bakılabilir
interpreter-process-missing = bu numarada bir süreç yok
interpreter-process-other-user = süreç başka bir kullanıcıya ait; firstfault’u o kullanıcı olarak çalıştırın
interpreter-process-other-namespace = süreç başka bir kapsayıcıda; firstfault’u onun içinde çalıştırın
interpreter-process-no-python = süreç bir Python programı değil
interpreter-process-replaced = süreç başladıktan sonra yorumlayıcı diskte değiştirilmiş
interpreter-process-unresolved = sürecin hangi yorumlayıcıyla başlatıldığı kanıtlanamıyor
interpreter-process-variables-overwritten = süreç, başlatıldığı değişkenlerin üzerine yazmış
interpreter-process-denied = sürece bakma izni yok

## Yorumlayıcılar
terminal-interpreters-none = Hiç Python bulunamadı.
terminal-interpreters-python = Python
terminal-interpreters-kind = tür
terminal-interpreters-build = derleme
terminal-interpreters-found-by = bulunduğu yer
terminal-interpreters-path = yol
terminal-interpreters-missing = yok
terminal-interpreters-unresolved = bilinmiyor
terminal-interpreters-broken = başlatılamıyor
terminal-interpreters-cpu = CPU
terminal-interpreters-chosen = Başka bir şey belirtmezseniz `firstfault check`, { $mark } ile işaretli olanı inceler.
terminal-interpreters-problem = { $path }: { $problem }
terminal-origin-active = etkin
terminal-origin-search-path = PATH
terminal-origin-project = proje
terminal-origin-conda = conda
terminal-origin-pyenv = pyenv
terminal-origin-collection = ortam klasörü
terminal-origin-kernel = çekirdek { $name }
terminal-origin-process = süreç { $pid }

## Çalıştırma
terminal-run-application = Uygulama
terminal-run-command = komut
terminal-run-exited = çıkış değeri
terminal-run-signalled = sonlandıran
terminal-run-timed-out = süre sınırında durduruldu
terminal-run-interrupted = Ctrl-C ile durduruldu
terminal-run-not-started = başlatılamadı
terminal-run-lost = bitti, nasıl bittiği bilinmiyor
terminal-run-passes = geçişler
terminal-run-pass = geçiş { $number }
terminal-run-following = sonraki { $count }: { $min } ile { $max } arası, ortanca { $median }, %95’i { $p95 } içinde
terminal-run-unsynchronised = eşzamanlanmadı: bu süreler aygıtın işi hakkında bir şey söylemez
terminal-run-memory = bellek
terminal-run-resident = ana bellekte en çok { $size }
terminal-run-allocated = GPU’da en çok { $size } ayrıldı
terminal-run-growth = her geçişte { $size } artıyor
terminal-run-kills = bellek yüzünden sonlandırmalar: { $count }
terminal-run-phase-load = yükleme sırasında
terminal-run-phase-first-computation = ilk hesaplama
terminal-run-phase-plateau = geçişler boyunca aynı
terminal-run-phase-growth = artıyor
terminal-run-unfinished = hiç bitmedi
terminal-run-stages-left-out = Gösterilmeyen başka aşamalar: { $count }.
terminal-run-contract = Sözleşme
terminal-run-demanded = istenen: { $value }
terminal-run-found = bulunan: { $value }
terminal-run-broken = uymayan: { $count }
terminal-run-checking-outputs = çıktılar sözleşmeyle karşılaştırılıyor
terminal-contract-written = Doldurulacak sözleşme: { $file }
terminal-contract-unusable = { $file } sözleşmesi kullanılamıyor: { $problem }
terminal-contract-hint = `firstfault init`, başlangıç için açıklamalı bir sözleşme yazar.
terminal-contract-syntax = { $line }. satır TOML değil: { $message }
terminal-contract-too-large = okunabilecek sözleşmelerden büyük (en çok { $most })
terminal-contract-unknown-key = böyle bir anahtar yok; bilinenler: { $known }
terminal-contract-missing = bunun verilmesi gerekir
terminal-contract-wrong-type = türü farklı; istenen: { $wanted }
terminal-wanted-text = bir metin
terminal-wanted-texts = bir metin ya da metin listesi
terminal-wanted-number = bir sayı
terminal-wanted-whole = bir tam sayı
terminal-wanted-truth = true ya da false
terminal-wanted-table = bir tablo
terminal-wanted-tables = bir ya da birkaç tablo
terminal-contract-bad-pattern = içindeki *, ? ve köşeli ayraçlar bir desen oluşturmuyor; [ ayracının kendisi için [[] yazın
terminal-contract-no-format = biçimi ne format ne de yolun uzantısı söylüyor; bilinenler: { $known }
terminal-contract-not-one-of = bunlardan biri değil: { $known }
terminal-contract-out-of-range = bu sayı kastedilmiş olamaz
terminal-contract-needs = yanında { $other } gerekir
terminal-contract-does-not-fit = { $other } ile uyuşmuyor
terminal-contract-bad-name = ad bir yola ya da gizli bilgiye benziyor ya da iki kez kullanılmış
terminal-contract-nothing-demanded = hiçbir şey istemiyor: komut ne yaparsa yapsın geçer

## Tarama
terminal-sweep = { $axis } ekseninde tarama
terminal-sweep-limit-device = aygıt
terminal-sweep-limit-control-group = denetim grubu
terminal-sweep-limit-machine = makine
terminal-sweep-margin = %{ $percent } boş kalmalı
terminal-sweep-no-margin = aşılmasına izin var
terminal-sweep-continuing = { $count ->
    [one] Sürdürülüyor: bir adım daha önce ölçülmüştü. (--fresh baştan başlatır.)
   *[other] Sürdürülüyor: { $count } adım daha önce ölçülmüştü. (--fresh baştan başlatır.)
}
terminal-sweep-good = iyi
terminal-sweep-why-refused = reddedildi
terminal-sweep-why-margin = pay aşıldı
terminal-sweep-why-out-of-memory = bellek yetmedi
terminal-sweep-why-application-failed = komut başarısız
terminal-sweep-why-contract-failed = sözleşme bozuldu
terminal-sweep-why-timeout = süresi doldu
terminal-sweep-why-budget = kesildi: bütçe
terminal-sweep-why-interrupted = kesildi: Ctrl-C
terminal-sweep-would-need = { $size } isterdi
terminal-sweep-of-limit = { $size } (%{ $percent })
terminal-sweep-rate = { $rate }/s
terminal-sweep-column-peak = tepe
terminal-sweep-percent = %{ $percent }
terminal-sweep-column-share = oran
terminal-sweep-column-foretold = öngörülen
terminal-sweep-column-throughput = öğe/s
terminal-sweep-column-first = ilk
terminal-sweep-column-following = ortanca
terminal-sweep-whole-command = * yükledikleriyle birlikte komutun tamamı üzerinden
terminal-sweep-not-tried = Denenmeyenler: { $values }
terminal-sweep-budget = Bütçe { $budget }; adımlar { $spent } sürdü
terminal-sweep-good-to = { $value } değerine kadar iyi
terminal-sweep-none-good = hiçbir adım iyi değildi
terminal-sweep-from-refused = { $value } reddedildi: { $limit } belleğin %{ $percent } kadarı boş kalmazdı
terminal-sweep-from-margin = { $value } değerinde durduruldu: { $limit } belleğin %{ $percent } kadarı boş kalmadı
terminal-sweep-from-out-of-memory = { $value } değerinde bellek yetmiyor
terminal-sweep-from-application-failed = { $value } değerinde komut başarısız oluyor
terminal-sweep-from-contract-failed = { $value } değerinde sözleşme bozuluyor
terminal-sweep-from-timeout = { $value } değerinde süre doluyor
terminal-sweep-limit-beyond = planlanan her adım iyiydi, yani sınır daha ötede
terminal-sweep-ended-budget = bütçe bitti
terminal-sweep-ended-attempts = deneme sayısı bitti
terminal-sweep-ended-interrupted = yarıda kesildi; aynı komut satırı buradan sürdürür
terminal-sweep-stops-rising = verim { $value } değerinden sonra artmıyor
terminal-budget-too-short = bütçe ilk adım tamamlanmadan bitti
terminal-budget-too-short-hint = daha büyük bir --budget verin: yalnızca denetim bile birkaç saniye sürer
terminal-usage-axis = --axis bir ad ve artan sayılar ister, en çok 200
terminal-usage-axis-hint = örneğin --axis batch=1,2,4,8 ya da bir üst sınıra kadar katlayarak --axis batch=1..64
terminal-usage-axis-order = --axis değerleri artmalıdır
terminal-usage-axis-order-hint = sıralayın, her birini bir kez yazın
terminal-usage-axis-not-in-command = komut, --axis değerinin nereye yazılacağını söylemiyor
terminal-usage-axis-not-in-command-hint = adını oraya süslü ayraçla yazın, örneğin --axis batch=1,2,4 -- python embed.py --batch {"{"}batch{"}"}

## Yinelenen denemeler
terminal-noise = Yinelendi: { $runs } çalıştırmanın { $passed } tanesi geçti
terminal-noise-to = –

## Yeniden denetim
terminal-recheck-same = daha kötü değil
terminal-recheck-better = daha iyi
terminal-recheck-worse = daha kötü
terminal-recheck-failed = başarısız
terminal-recheck-not-comparable = karşılaştırılamaz
terminal-recheck-bad-identifier = bu raporun kimliği FirstFault’un verdiği türden değil
terminal-recheck-bad-identifier-hint = raporu `firstfault check` ya da `firstfault run` nasıl yazdıysa öyle kullanın
terminal-recheck-other-kind = bu rapor bir taramaya ya da durdurma ve sürdürme kanıtına ait; yeniden denetim bunları yinelemez
terminal-recheck-other-kind-hint = temel olarak `firstfault check` ya da `firstfault run` raporu kullanın
terminal-recheck-no-command = bu çalıştırmanın komutu burada bilinmiyor: rapor onu içermez, .firstfault/attempts içinde saklanan da silinmiş ya da başka yerde
terminal-recheck-no-command-hint = komutu `--` işaretinden sonra yeniden yazın ya da temel denemenin klasöründe çalışın
terminal-recheck-command-for-check = bu rapor bir denetime ait; denetimin komutu yoktur
terminal-recheck-command-for-check-hint = komutu yazmayın ya da temel olarak `firstfault run` raporu kullanın
terminal-recheck-contract-for-check = bu rapor bir denetime ait; denetimin ne sözleşmesi ne de sınırlanacak komutu vardır
terminal-recheck-contract-for-check-hint = --contract ve --timeout seçeneklerini yazmayın; denetimi --check-timeout sınırlar

terminal-turn-kept = Referans: önceki bir başlatmada tamamlandı ve saklandı
terminal-note-reference-kept = Durdurulmayan çalıştırma önceki bir başlatmada tamamlanmıştı; --fresh baştan başlar.
terminal-note-proof-continues = Durdurulmayan çalıştırma tamamlandı ve saklandı: aynı komut satırı oradan devam eder.
terminal-own-folder = { $file }, FirstFault’un kendi klasörünü içeriyor ya da onun içinde; hiçbir zaman kenara konmaz.
terminal-own-folder-hint = Sözleşmede yalnızca komutun kendisinin yazdıklarını belirtin.
terminal-nothing-to-compare = Sözleşme, sürdürülen bir çalıştırmanın karşılaştırılabileceği hiçbir şey belirtmiyor: ne çıktı var ne de kayıpları okunabilen bir günlük.
terminal-nothing-to-compare-hint = Bir [[output]] ya da [training] altında günlüğü, kaybını (loss) ve adımları sayıyorsa adımını (step) belirtin.
terminal-linked-output = { $file } bir bağlantı; bu durumda çalıştırmalar birbirinin çıktılarının üzerine yazardı.
terminal-linked-output-hint = Dosyayı komutun kendisi yazsın; ona giden bir bağlantı başka yerde durabilir.
terminal-resume-stop = { $signal }, durma yeri: { $point }
terminal-resume-took = { $time } sonra durdu
terminal-resume-took-of = { $time } sonra durdu (tanınan süre { $grace })
terminal-resume-yes = evet
terminal-resume-no = hayır
terminal-resume-not-told = belirlenemiyor
terminal-resume-advice-memory = Bellekte duruyor ve ana makineyle birlikte yok olur: diske veya ağ depolamasına yazın.
terminal-resume-advice-layer = Konteynerin kendi katmanında duruyor ve onunla birlikte yok olur: bunun için bir birim bağlayın.
terminal-resume-advice-in-place = Yerinde üzerine yazılıyor; ortada durmak onu bozar: yanına yazın, diske aktarın, sonra yeniden adlandırın.
terminal-resume-advice-space = Saklanacak kopyalar, boş olandan daha çok yer ister.
