extension BuiltInTexts {
    /// The texts in Slavic, Baltic and Finno-Ugric languages.
    static let easternEurope = """
        bg
        Необходима е актуализация
        Тази версия на приложението вече не работи. Моля, актуализирайте до най-новата версия.
        Версията на приложението не беше разпозната. Моля, актуализирайте до най-новата версия.
        Актуализиране
        Налична е актуализация
        Налична е по-нова версия на приложението.
        Това устройство вече не се поддържа
        Тази версия на приложението вече не работи, а по-новите изискват по-нова операционна система. Моля, актуализирайте устройството си или използвайте друго.
        Извършва се поддръжка
        Работим по услугата. Моля, опитайте отново по-късно.

        cs
        Je nutná aktualizace
        Tato verze aplikace už nefunguje. Aktualizujte prosím na nejnovější verzi.
        Verzi aplikace se nepodařilo rozpoznat. Aktualizujte prosím na nejnovější verzi.
        Aktualizovat
        Je k dispozici aktualizace
        Je k dispozici novější verze aplikace.
        Toto zařízení už není podporováno
        Tato verze aplikace už nefunguje a novější vyžadují novější operační systém. Aktualizujte prosím své zařízení nebo použijte jiné.
        Probíhá údržba
        Na službě pracujeme. Zkuste to prosím znovu později.

        et
        Värskendus on vajalik
        See rakenduse versioon enam ei tööta. Palun värskendage uusimale versioonile.
        Rakenduse versiooni ei õnnestunud tuvastada. Palun värskendage uusimale versioonile.
        Värskenda
        Värskendus on saadaval
        Saadaval on rakenduse uuem versioon.
        Seda seadet enam ei toetata
        See rakenduse versioon enam ei tööta ja uuemad vajavad uuemat operatsioonisüsteemi. Palun värskendage oma seadet või kasutage mõnda teist.
        Hooldustööd
        Teenusel käivad hooldustööd. Palun proovige hiljem uuesti.

        fi
        Päivitys vaaditaan
        Tämä sovelluksen versio ei enää toimi. Päivitä uusimpaan versioon.
        Sovelluksen versiota ei tunnistettu. Päivitä uusimpaan versioon.
        Päivitä
        Päivitys saatavilla
        Sovelluksesta on saatavilla uudempi versio.
        Tätä laitetta ei enää tueta
        Tämä sovelluksen versio ei enää toimi, ja uudemmat vaativat uudemman käyttöjärjestelmän. Päivitä laitteesi tai käytä toista laitetta.
        Huoltokatko
        Palvelua huolletaan. Yritä myöhemmin uudelleen.

        hr
        Potrebno je ažuriranje
        Ova verzija aplikacije više ne radi. Ažurirajte aplikaciju na najnoviju verziju.
        Verzija aplikacije nije prepoznata. Ažurirajte aplikaciju na najnoviju verziju.
        Ažuriraj
        Dostupno je ažuriranje
        Dostupna je novija verzija aplikacije.
        Ovaj uređaj više nije podržan
        Ova verzija aplikacije više ne radi, a novije zahtijevaju noviji operacijski sustav. Ažurirajte uređaj ili upotrijebite neki drugi.
        Održavanje u tijeku
        Radimo na održavanju usluge. Pokušajte ponovno kasnije.

        hu
        Frissítés szükséges
        Az alkalmazásnak ez a verziója már nem működik. Kérjük, frissítsen a legújabb verzióra.
        Az alkalmazás verzióját nem sikerült felismerni. Kérjük, frissítsen a legújabb verzióra.
        Frissítés
        Frissítés érhető el
        Elérhető az alkalmazás újabb verziója.
        Ez az eszköz már nem támogatott
        Az alkalmazásnak ez a verziója már nem működik, az újabbakhoz pedig újabb operációs rendszer kell. Kérjük, frissítse az eszközét, vagy használjon másikat.
        Karbantartás
        Dolgozunk a szolgáltatáson. Kérjük, próbálja újra később.

        lt
        Būtina atnaujinti
        Ši programėlės versija nebeveikia. Atnaujinkite programėlę į naujausią versiją.
        Nepavyko atpažinti programėlės versijos. Atnaujinkite programėlę į naujausią versiją.
        Atnaujinti
        Yra naujinys
        Yra naujesnė programėlės versija.
        Šis įrenginys nebepalaikomas
        Ši programėlės versija nebeveikia, o naujesnėms reikia naujesnės operacinės sistemos. Atnaujinkite įrenginį arba naudokite kitą.
        Vyksta techninė priežiūra
        Atliekame priežiūros darbus. Bandykite dar kartą vėliau.

        lv
        Nepieciešams atjauninājums
        Šī lietotnes versija vairs nedarbojas. Lūdzu, atjauniniet lietotni uz jaunāko versiju.
        Lietotnes versiju neizdevās atpazīt. Lūdzu, atjauniniet lietotni uz jaunāko versiju.
        Atjaunināt
        Pieejams atjauninājums
        Ir pieejama jaunāka lietotnes versija.
        Šī ierīce vairs netiek atbalstīta
        Šī lietotnes versija vairs nedarbojas, un jaunākām ir vajadzīga jaunāka operētājsistēma. Lūdzu, atjauniniet ierīci vai izmantojiet citu.
        Notiek apkope
        Pakalpojumā notiek apkopes darbi. Lūdzu, vēlāk mēģiniet vēlreiz.

        pl
        Wymagana aktualizacja
        Ta wersja aplikacji już nie działa. Zaktualizuj aplikację do najnowszej wersji.
        Nie udało się rozpoznać wersji aplikacji. Zaktualizuj aplikację do najnowszej wersji.
        Aktualizuj
        Dostępna aktualizacja
        Dostępna jest nowsza wersja aplikacji.
        To urządzenie nie jest już obsługiwane
        Ta wersja aplikacji już nie działa, a nowsze wymagają nowszego systemu operacyjnego. Zaktualizuj urządzenie lub użyj innego.
        Trwają prace konserwacyjne
        Pracujemy nad usługą. Spróbuj ponownie później.

        ru
        Требуется обновление
        Эта версия приложения больше не работает. Пожалуйста, установите последнюю версию.
        Не удалось определить версию приложения. Пожалуйста, установите последнюю версию.
        Обновить
        Доступно обновление
        Доступна более новая версия приложения.
        Это устройство больше не поддерживается
        Эта версия приложения больше не работает, а для новых нужна более новая операционная система. Пожалуйста, обновите устройство или воспользуйтесь другим.
        Технические работы
        На сервисе ведутся работы. Пожалуйста, повторите попытку позже.

        sk
        Vyžaduje sa aktualizácia
        Táto verzia aplikácie už nefunguje. Aktualizujte, prosím, na najnovšiu verziu.
        Verziu aplikácie sa nepodarilo rozpoznať. Aktualizujte, prosím, na najnovšiu verziu.
        Aktualizovať
        K dispozícii je aktualizácia
        K dispozícii je novšia verzia aplikácie.
        Toto zariadenie už nie je podporované
        Táto verzia aplikácie už nefunguje a novšie vyžadujú novší operačný systém. Aktualizujte, prosím, svoje zariadenie alebo použite iné.
        Prebieha údržba
        Na službe pracujeme. Skúste to, prosím, znova neskôr.

        sl
        Potrebna je posodobitev
        Ta različica aplikacije ne deluje več. Posodobite na najnovejšo različico.
        Različice aplikacije ni bilo mogoče prepoznati. Posodobite na najnovejšo različico.
        Posodobi
        Na voljo je posodobitev
        Na voljo je novejša različica aplikacije.
        Ta naprava ni več podprta
        Ta različica aplikacije ne deluje več, novejše pa zahtevajo novejši operacijski sistem. Posodobite napravo ali uporabite drugo.
        Vzdrževanje v teku
        Storitev vzdržujemo. Poskusite znova pozneje.

        sr
        Потребно је ажурирање
        Ова верзија апликације више не ради. Ажурирајте апликацију на најновију верзију.
        Верзија апликације није препозната. Ажурирајте апликацију на најновију верзију.
        Ажурирај
        Доступно је ажурирање
        Доступна је новија верзија апликације.
        Овај уређај више није подржан
        Ова верзија апликације више не ради, а новије захтевају новији оперативни систем. Ажурирајте уређај или употребите неки други.
        Одржавање у току
        Радимо на одржавању услуге. Покушајте поново касније.

        sr-Latn
        Potrebno je ažuriranje
        Ova verzija aplikacije više ne radi. Ažurirajte aplikaciju na najnoviju verziju.
        Verzija aplikacije nije prepoznata. Ažurirajte aplikaciju na najnoviju verziju.
        Ažuriraj
        Dostupno je ažuriranje
        Dostupna je novija verzija aplikacije.
        Ovaj uređaj više nije podržan
        Ova verzija aplikacije više ne radi, a novije zahtevaju noviji operativni sistem. Ažurirajte uređaj ili upotrebite neki drugi.
        Održavanje u toku
        Radimo na održavanju usluge. Pokušajte ponovo kasnije.

        uk
        Потрібне оновлення
        Ця версія застосунку більше не працює. Будь ласка, оновіть застосунок до останньої версії.
        Не вдалося розпізнати версію застосунку. Будь ласка, оновіть застосунок до останньої версії.
        Оновити
        Доступне оновлення
        Доступна новіша версія застосунку.
        Цей пристрій більше не підтримується
        Ця версія застосунку більше не працює, а новіші потребують новішої операційної системи. Будь ласка, оновіть пристрій або скористайтеся іншим.
        Технічні роботи
        На сервісі тривають роботи. Будь ласка, спробуйте ще раз пізніше.
        """
}
