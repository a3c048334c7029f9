import GateTestSupport
import Testing

/// Clients in many languages, and a rules file of four lines that has no notice.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct LanguageTests {
    private struct Client {
        /// The client's `Accept-Language`.
        var asked: String
        /// The language and the title of the response.
        var language: String
        var title: String

        init(_ asked: String, _ language: String, _ title: String) {
            self.asked = asked
            self.language = language
            self.title = title
        }
    }

    private static let rules = """
        rules:
          - id: a
            minimum: "3.5.0"
            storeUrl: https://apps.example/1

        """

    private static let rightToLeft: Set = ["ar", "ckb", "fa", "he", "ps", "ur"]

    private static let clients = [
        Client("ar-EG, en;q=0.5", "ar", "يلزم التحديث"),
        Client("bg-BG", "bg", "Необходима е актуализация"),
        Client("bn-BD, bn;q=0.9", "bn", "আপডেট প্রয়োজন"),
        Client("ca-ES", "ca", "Cal actualitzar"),
        Client("ckb", "ckb", "نوێکردنەوە پێویستە"),
        Client("ku-IQ", "ckb", "نوێکردنەوە پێویستە"),
        Client("ku", "ku-Latn", "Nûvekirin pêwîst e"),
        Client("cs", "cs", "Je nutná aktualizace"),
        Client("da-DK", "da", "Opdatering påkrævet"),
        Client("de-AT, de;q=0.8, en;q=0.6", "de", "Update erforderlich"),
        Client("el-CY", "el", "Απαιτείται ενημέρωση"),
        Client("en-GB", "en", "Update required"),
        Client("es-419, es;q=0.9", "es", "Actualización necesaria"),
        Client("et", "et", "Värskendus on vajalik"),
        Client("eu-ES", "eu", "Eguneratu beharra dago"),
        Client("fa-IR", "fa", "به‌روزرسانی لازم است"),
        Client("fi", "fi", "Päivitys vaaditaan"),
        Client("fil-PH", "fil", "Kailangang mag-update"),
        Client("tl", "fil", "Kailangang mag-update"),
        Client("fr-CA", "fr", "Mise à jour requise"),
        Client("he-IL", "he", "נדרש עדכון"),
        Client("iw", "he", "נדרש עדכון"),
        Client("hi-IN", "hi", "अपडेट ज़रूरी है"),
        Client("hr", "hr", "Potrebno je ažuriranje"),
        Client("ht-HT", "ht", "Ou bezwen mete aplikasyon an ajou"),
        Client("hu", "hu", "Frissítés szükséges"),
        Client("hy-AM", "hy", "Անհրաժեշտ է թարմացում"),
        Client("id-ID", "id", "Pembaruan diperlukan"),
        Client("in", "id", "Pembaruan diperlukan"),
        Client("it-CH", "it", "Aggiornamento richiesto"),
        Client("ja-JP", "ja", "アップデートが必要です"),
        Client("kk-KZ", "kk", "Жаңарту қажет"),
        Client("km", "km", "ត្រូវការធ្វើបច្ចុប្បន្នភាព"),
        Client("ko-KR", "ko", "업데이트가 필요합니다"),
        Client("lt", "lt", "Būtina atnaujinti"),
        Client("lv", "lv", "Nepieciešams atjauninājums"),
        Client("ms-MY", "ms", "Kemas kini diperlukan"),
        Client("nb-NO", "nb", "Oppdatering kreves"),
        Client("nn-NO", "nb", "Oppdatering kreves"),
        Client("no", "nb", "Oppdatering kreves"),
        Client("nl-BE", "nl", "Update vereist"),
        Client("pl", "pl", "Wymagana aktualizacja"),
        Client("ps-AF", "ps", "تازه کول اړین دي"),
        Client("pt", "pt-BR", "Atualização necessária"),
        Client("pt-BR", "pt-BR", "Atualização necessária"),
        Client("pt-PT", "pt-PT", "Atualização necessária"),
        Client("pt-AO", "pt-PT", "Atualização necessária"),
        Client("ro-MD", "ro", "Actualizare necesară"),
        Client("ru-RU", "ru", "Требуется обновление"),
        Client("sk", "sk", "Vyžaduje sa aktualizácia"),
        Client("sl", "sl", "Potrebna je posodobitev"),
        Client("sr-RS", "sr", "Потребно је ажурирање"),
        Client("sr-Latn", "sr-Latn", "Potrebno je ažuriranje"),
        Client("sr-Latn-RS", "sr-Latn", "Potrebno je ažuriranje"),
        Client("sv-FI", "sv", "Uppdatering krävs"),
        Client("ta-LK", "ta", "புதுப்பிப்பு தேவை"),
        Client("te-IN", "te", "అప్‌డేట్ అవసరం"),
        Client("th-TH", "th", "จำเป็นต้องอัปเดต"),
        Client("tr", "tr", "Güncelleme gerekli"),
        Client("uk-UA", "uk", "Потрібне оновлення"),
        Client("ur-PK", "ur", "اپ ڈیٹ درکار ہے"),
        Client("vi-VN", "vi", "Cần cập nhật"),
        Client("zh-CN", "zh-Hans", "需要更新"),
        Client("zh-Hans-SG", "zh-Hans", "需要更新"),
        Client("zh", "zh-Hans", "需要更新"),
        Client("zh-Hant-HK", "zh-Hant", "需要更新"),
        Client("zh-HK", "zh-Hant", "需要更新"),
        Client("zh-TW, zh;q=0.9", "zh-Hant", "需要更新"),
        Client("sw, cy;q=0.5", "en", "Update required"),
        Client("*", "en", "Update required"),
    ]

    private struct Words: Decodable, Equatable {
        var title: String
        var message: String
        var button: String?
    }

    @Test
    func `without a notice, each client gets its own language in JSON and HTML`()
        async throws
    {
        try await Scene.play(rules: Self.rules) { scene in
            var messages: [String: String] = [:]
            for client in Self.clients {
                let fields = Request.outdated + "Accept-Language: \(client.asked)\r\n"
                // The second response is a cached one.
                for _ in 1...2 {
                    let answer = try scene.ask(Request.text(fields: fields))
                    let words = try answer.json(Words.self)
                    #expect(answer.status == 426)
                    #expect(answer.fields["Content-Language"] == [client.language])
                    #expect(words.title == client.title, "\(client.asked)")
                    #expect(words.button?.isEmpty == false)
                    #expect(!words.message.contains("–") && !words.message.contains("{"))
                    messages[client.language] = words.message
                }
                let browser = "Accept: text/html,application/xhtml+xml\r\n"
                let page = try scene.ask(Request.text(fields: fields + browser))
                let text = String(decoding: page.body, as: UTF8.self)
                let isRightToLeft = Self.rightToLeft.contains(client.language)
                let direction = isRightToLeft ? " dir=\"rtl\"" : ""
                #expect(page.fields["Content-Language"] == [client.language])
                #expect(text.contains("<html lang=\"\(client.language)\"\(direction)>\n"))
                #expect(text.contains("<h1>\(client.title)</h1>"), "\(client.asked)")
                #expect(text.contains(try #require(messages[client.language])))
            }
            #expect(messages.count == 55)
            #expect(try scene.finalRecord().received.isEmpty)
        }
    }
}
