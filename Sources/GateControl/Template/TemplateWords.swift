/// What an app shows whose update is required, in the languages that a new rules file can begin in.
struct TemplateWords {
    let title: String
    let message: String
    let button: String
    /// Whether the words are English for want of better ones.
    let needTranslation: Bool

    /// The words for a language tag; English ones where there are no others.
    init(language: String) {
        self.needTranslation = !["en", "de", "ja", "ko"].contains(language)
        switch language {
        case "de":
            self.title = "Update nötig"
            self.message = "Version {currentVersion} funktioniert nicht mehr. Bitte aktualisieren."
            self.button = "Aktualisieren"
        case "ja":
            self.title = "アップデートのお願い"
            self.message = "バージョン {currentVersion} はご利用いただけません。最新版にアップデートしてください。"
            self.button = "アップデートする"
        case "ko":
            self.title = "업데이트가 필요합니다"
            self.message = "{currentVersion} 버전은 더 이상 사용할 수 없습니다. 최신 버전으로 업데이트해 주세요."
            self.button = "업데이트"
        default:
            self.title = "Update required"
            self.message =
                "Version {currentVersion} no longer works. Please update to the latest one."
            self.button = "Update"
        }
    }
}
