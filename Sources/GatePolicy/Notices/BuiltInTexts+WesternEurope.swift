extension BuiltInTexts {
    /// The texts in Germanic and Romance languages, Haitian Creole, Basque and Greek.
    static let westernEurope = """
        en
        Update required
        This version of the app no longer works. Please update to the latest version.
        The version of the app could not be recognized. Please update to the latest version.
        Update
        Update available
        A newer version of the app is available.
        This device is no longer supported
        This version of the app no longer works, and newer ones need a newer operating system. Please update your device, or use another one.
        Down for maintenance
        We are working on the service. Please try again later.

        ca
        Cal actualitzar
        Aquesta versió de l’aplicació ja no funciona. Actualitzeu l’aplicació a la versió més recent.
        No s’ha pogut reconèixer la versió de l’aplicació. Actualitzeu l’aplicació a la versió més recent.
        Actualitza
        Actualització disponible
        Hi ha disponible una versió més recent de l’aplicació.
        Aquest dispositiu ja no és compatible
        Aquesta versió de l’aplicació ja no funciona, i les més recents necessiten un sistema operatiu més nou. Actualitzeu el dispositiu o feu-ne servir un altre.
        En manteniment
        Estem treballant en el servei. Torneu-ho a provar més tard.

        da
        Opdatering påkrævet
        Denne version af appen virker ikke længere. Opdater venligst til den nyeste version.
        Appens version kunne ikke genkendes. Opdater venligst til den nyeste version.
        Opdater
        Opdatering tilgængelig
        En nyere version af appen er tilgængelig.
        Denne enhed understøttes ikke længere
        Denne version af appen virker ikke længere, og nyere versioner kræver et nyere styresystem. Opdater din enhed, eller brug en anden.
        Vedligeholdelse i gang
        Vi arbejder på tjenesten. Prøv igen senere.

        de
        Update erforderlich
        Diese Version der App funktioniert nicht mehr. Bitte aktualisieren Sie auf die neueste Version.
        Die Version der App wurde nicht erkannt. Bitte aktualisieren Sie auf die neueste Version.
        Aktualisieren
        Update verfügbar
        Eine neuere Version der App ist verfügbar.
        Dieses Gerät wird nicht mehr unterstützt
        Diese Version der App funktioniert nicht mehr, und neuere benötigen ein neueres Betriebssystem. Bitte aktualisieren Sie Ihr Gerät oder verwenden Sie ein anderes.
        Wartungsarbeiten
        Der Dienst wird gerade gewartet. Bitte versuchen Sie es später erneut.

        el
        Απαιτείται ενημέρωση
        Αυτή η έκδοση της εφαρμογής δεν λειτουργεί πλέον. Ενημερώστε την εφαρμογή στην πιο πρόσφατη έκδοση.
        Η έκδοση της εφαρμογής δεν αναγνωρίστηκε. Ενημερώστε την εφαρμογή στην πιο πρόσφατη έκδοση.
        Ενημέρωση
        Διαθέσιμη ενημέρωση
        Υπάρχει διαθέσιμη νεότερη έκδοση της εφαρμογής.
        Αυτή η συσκευή δεν υποστηρίζεται πλέον
        Αυτή η έκδοση της εφαρμογής δεν λειτουργεί πλέον και οι νεότερες χρειάζονται νεότερο λειτουργικό σύστημα. Ενημερώστε τη συσκευή σας ή χρησιμοποιήστε άλλη.
        Εργασίες συντήρησης
        Γίνονται εργασίες στην υπηρεσία. Δοκιμάστε ξανά αργότερα.

        es
        Actualización necesaria
        Esta versión de la aplicación ya no funciona. Actualice a la última versión.
        No se pudo reconocer la versión de la aplicación. Actualice a la última versión.
        Actualizar
        Actualización disponible
        Hay una versión más reciente de la aplicación.
        Este dispositivo ya no es compatible
        Esta versión de la aplicación ya no funciona y las más recientes requieren un sistema operativo más nuevo. Actualice el dispositivo o use otro.
        En mantenimiento
        Estamos trabajando en el servicio. Inténtelo de nuevo más tarde.

        eu
        Eguneratu beharra dago
        Aplikazioaren bertsio honek jada ez du funtzionatzen. Eguneratu azken bertsiora, mesedez.
        Ezin izan da aplikazioaren bertsioa identifikatu. Eguneratu azken bertsiora, mesedez.
        Eguneratu
        Eguneratzea eskuragarri dago
        Aplikazioaren bertsio berriago bat eskuragarri dago.
        Gailu hau jada ez da bateragarria
        Aplikazioaren bertsio honek jada ez du funtzionatzen, eta berriagoek sistema eragile berriagoa behar dute. Eguneratu gailua edo erabili beste bat, mesedez.
        Mantentze-lanetan
        Zerbitzuan lanean ari gara. Saiatu berriro geroago, mesedez.

        fr
        Mise à jour requise
        Cette version de l’application ne fonctionne plus. Veuillez installer la dernière version.
        La version de l’application n’a pas été reconnue. Veuillez installer la dernière version.
        Mettre à jour
        Mise à jour disponible
        Une version plus récente de l’application est disponible.
        Cet appareil n’est plus pris en charge
        Cette version de l’application ne fonctionne plus, et les plus récentes nécessitent un système d’exploitation plus récent. Veuillez mettre à jour votre appareil ou en utiliser un autre.
        Maintenance en cours
        Nous intervenons sur le service. Veuillez réessayer plus tard.

        ht
        Ou bezwen mete aplikasyon an ajou
        Vèsyon aplikasyon sa a pa mache ankò. Tanpri enstale dènye vèsyon an.
        Nou pa rekonèt vèsyon aplikasyon an. Tanpri enstale dènye vèsyon an.
        Mete ajou
        Gen yon mizajou
        Gen yon vèsyon aplikasyon an ki pi nouvo.
        Nou pa sipòte aparèy sa a ankò
        Vèsyon aplikasyon sa a pa mache ankò, e vèsyon ki pi nouvo yo bezwen yon sistèm operasyon ki pi nouvo. Tanpri mete aparèy ou a ajou, oswa sèvi ak yon lòt.
        N ap fè antretyen
        N ap travay sou sèvis la. Tanpri eseye ankò pita.

        it
        Aggiornamento richiesto
        Questa versione dell’app non funziona più. Aggiorna alla versione più recente.
        Non è stato possibile riconoscere la versione dell’app. Aggiorna alla versione più recente.
        Aggiorna
        Aggiornamento disponibile
        È disponibile una versione più recente dell’app.
        Questo dispositivo non è più supportato
        Questa versione dell’app non funziona più e quelle più recenti richiedono un sistema operativo più recente. Aggiorna il dispositivo o usane un altro.
        Manutenzione in corso
        Stiamo lavorando al servizio. Riprova più tardi.

        nb
        Oppdatering kreves
        Denne versjonen av appen virker ikke lenger. Oppdater til den nyeste versjonen.
        Appens versjon ble ikke gjenkjent. Oppdater til den nyeste versjonen.
        Oppdater
        Oppdatering tilgjengelig
        En nyere versjon av appen er tilgjengelig.
        Denne enheten støttes ikke lenger
        Denne versjonen av appen virker ikke lenger, og nyere versjoner krever et nyere operativsystem. Oppdater enheten, eller bruk en annen.
        Vedlikehold pågår
        Vi arbeider med tjenesten. Prøv igjen senere.

        nl
        Update vereist
        Deze versie van de app werkt niet meer. Werk de app bij naar de nieuwste versie.
        De versie van de app is niet herkend. Werk de app bij naar de nieuwste versie.
        Bijwerken
        Update beschikbaar
        Er is een nieuwere versie van de app beschikbaar.
        Dit apparaat wordt niet meer ondersteund
        Deze versie van de app werkt niet meer, en nieuwere versies vereisen een nieuwer besturingssysteem. Werk dit apparaat bij of gebruik een ander apparaat.
        Onderhoud
        We werken aan de dienst. Probeer het later opnieuw.

        pt-BR
        Atualização necessária
        Esta versão do aplicativo não funciona mais. Atualize para a versão mais recente.
        Não foi possível reconhecer a versão do aplicativo. Atualize para a versão mais recente.
        Atualizar
        Atualização disponível
        Uma versão mais recente do aplicativo está disponível.
        Este dispositivo não é mais compatível
        Esta versão do aplicativo não funciona mais, e as mais recentes exigem um sistema operacional mais novo. Atualize seu dispositivo ou use outro.
        Em manutenção
        Estamos trabalhando no serviço. Tente novamente mais tarde.

        pt-PT
        Atualização necessária
        Esta versão da aplicação já não funciona. Atualize para a versão mais recente.
        Não foi possível reconhecer a versão da aplicação. Atualize para a versão mais recente.
        Atualizar
        Atualização disponível
        Está disponível uma versão mais recente da aplicação.
        Este dispositivo já não é suportado
        Esta versão da aplicação já não funciona, e as mais recentes exigem um sistema operativo mais recente. Atualize o dispositivo ou utilize outro.
        Em manutenção
        Estamos a trabalhar no serviço. Tente novamente mais tarde.

        ro
        Actualizare necesară
        Această versiune a aplicației nu mai funcționează. Actualizați la cea mai recentă versiune.
        Versiunea aplicației nu a putut fi recunoscută. Actualizați la cea mai recentă versiune.
        Actualizați
        Actualizare disponibilă
        Este disponibilă o versiune mai nouă a aplicației.
        Acest dispozitiv nu mai este acceptat
        Această versiune a aplicației nu mai funcționează, iar versiunile mai noi necesită un sistem de operare mai nou. Actualizați dispozitivul sau folosiți altul.
        În mentenanță
        Lucrăm la serviciu. Încercați din nou mai târziu.

        sv
        Uppdatering krävs
        Den här versionen av appen fungerar inte längre. Uppdatera till den senaste versionen.
        Appens version kunde inte identifieras. Uppdatera till den senaste versionen.
        Uppdatera
        Uppdatering tillgänglig
        En nyare version av appen finns tillgänglig.
        Den här enheten stöds inte längre
        Den här versionen av appen fungerar inte längre, och nyare versioner kräver ett nyare operativsystem. Uppdatera enheten eller använd en annan.
        Underhåll pågår
        Vi arbetar med tjänsten. Försök igen senare.
        """
}
