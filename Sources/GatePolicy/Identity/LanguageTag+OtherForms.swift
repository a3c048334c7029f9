/// Equivalent tags under which texts for a language may be listed.
extension LanguageTag {
    /// The tags with the script or variant that this tag implies, closest first.
    ///
    /// Only languages that are written in several ways have such tags (see "Likely Subtags" in the
    /// Unicode CLDR).
    var regionalForms: [LanguageTag] {
        switch self.language {
        case "pt":
            let region = self.region
            return [region == nil || region == "BR" ? .brazilian : .european]
        case "sr":
            return self.script == nil && self.region == "ME" ? [.serbianInLatin] : []
        case "sh":
            return [.serbianInLatin]
        case "ku":
            guard let script = self.script else {
                return ["IQ", "IR"].contains(self.region) ? [.sorani] : [.kurmanji]
            }
            return script == "Arab" ? [.sorani] : [.kurmanji]
        case "zh", "yue":
            let region = self.region
            let isTraditional =
                self.script.map { $0 == "Hant" }
                ?? region.map { ["TW", "HK", "MO"].contains($0) }
                ?? (self.language == "yue")
            guard isTraditional else { return Self.simplifiedChinese }
            return region == "HK" || region == "MO"
                ? Self.chineseOfHongKong : Self.chineseOfTaiwan
        default:
            return []
        }
    }

    /// The other codes of the language.
    ///
    /// These are deprecated codes and their replacements (RFC 5646 section 2.2.1), and the codes of
    /// languages that include this language or are included in it.
    var synonyms: [LanguageTag] {
        Self.otherCodes[self.language, default: []].map(LanguageTag.init(canonical:))
    }

    private static let otherCodes: [Substring: [String]] = [
        "iw": ["he"], "he": ["iw"], "in": ["id"], "id": ["in"], "mo": ["ro"], "tl": ["fil"],
        "fil": ["tl"], "no": ["nb"], "nb": ["no"], "nn": ["no", "nb"], "kmr": ["ku-Latn"],
    ]

    private var language: Substring { self.description.prefix { $0 != "-" } }

    private static let brazilian = LanguageTag(canonical: "pt-BR")
    private static let european = LanguageTag(canonical: "pt-PT")
    private static let serbianInLatin = LanguageTag(canonical: "sr-Latn")
    private static let sorani = LanguageTag(canonical: "ckb")
    private static let kurmanji = LanguageTag(canonical: "ku-Latn")
    private static let simplifiedChinese = ["zh-Hans", "zh-CN"].map(LanguageTag.init(canonical:))
    private static let chineseOfTaiwan = ["zh-Hant", "zh-TW", "zh-HK"]
        .map(LanguageTag.init(canonical:))
    private static let chineseOfHongKong = ["zh-Hant", "zh-HK", "zh-TW"]
        .map(LanguageTag.init(canonical:))
}
