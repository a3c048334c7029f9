internal import GatePolicy

/// A rules file to begin with: one app on iOS and Android, every line explained.
///
/// A value that is not given stands there as a placeholder that is valid, and marked as one.
package struct RulesTemplate: Sendable {
    private let appID: String?
    private let iosURL: String?
    private let androidURL: String?
    private let language: String
    private let schema: String

    /// Takes over what is known of the app.
    ///
    /// - Parameters:
    ///   - appID: The package name, which says the page in Google Play.
    ///   - iosURL: The App Store page.
    ///   - androidURL: The page in the store for Android.
    ///   - language: The language of the words, English by default.
    ///   - schema: Where an editor finds the JSON Schema of rules files.
    /// - Throws: What of it cannot stand in a rules file.
    package init(
        appID: String? = nil,
        iosURL: String? = nil,
        androidURL: String? = nil,
        language: String? = nil,
        schema: String = "./rules.schema.json"
    ) throws(RulesTemplateError) {
        if let appID, appID.wholeMatch(of: /[A-Za-z0-9._\-]{1,128}/) == nil {
            throw .appID(appID)
        }
        for url in [iosURL, androidURL] {
            guard let url else { continue }
            try Self.check(storeURL: url)
        }
        let tag = language.map { LanguageTag($0) } ?? .english
        guard let tag else { throw .language(language ?? "") }
        self.appID = appID
        self.iosURL = iosURL
        self.androidURL = androidURL
        self.language = tag.description
        self.schema = schema
    }

    private static func check(storeURL url: String) throws(RulesTemplateError) {
        do throws(StoreLink.Failure) {
            _ = try StoreLink(parsing: url)
        } catch {
            throw .storeURL(url, reason: "\(error)")
        }
        guard !url.lowercased().hasPrefix("http:") else {
            throw .storeURL(url, reason: "it must be https, or open a store app")
        }
    }

    /// The file; everything that comes from outside stands in quotes, so that YAML reads texts.
    package var text: String {
        let words = TemplateWords(language: self.language)
        return """
            # yaml-language-server: $schema=\(self.schema)
            # The rules of VersionGate. After a change: versiongate check --strict PATH
            # A running gate takes a change over within a second.

            # A request that names no app version, or not readably, passes: nobody is locked out for
            # want of a header. `observe` counts such requests, `reject` refuses them.
            unidentified: { missing: allow, unreadable: allow }

            # Never judged: health checks, and what a blocked user must still reach.
            exempt:
              - /healthz
              - { method: POST, path: /logout }

            # Below `minimum` an app must update. Further keys: `recommended` for a hint, `blocked` for
            # single bad releases, `next` for the floor to come, with a day and a roll-out. Clients say
            # who they are in X-App-Platform and X-App-Version. With several apps behind this gate, they
            # also send X-App-Id, and each rule says for which one it is: match: { platform: ios, app: ID }.
            rules:
              - id: ios
                match: { platform: ios }
                minimum: "1.0.0" # the oldest version that still works
                # recommended: "1.0.0" # the newest one in the store; a floor above it is refused as a slip
                notice: upgrade
                storeUrl: \(Self.link(self.iosURL, PlaceholderLink.appStore))

              - id: android
                match: { platform: android }
                minimum: "1.0.0" # the oldest version that still works
                # recommended: "1.0.0" # the newest one in the store; a floor above it is refused as a slip
                notice: upgrade
                storeUrl: \(Self.link(self.androidLink, PlaceholderLink.googlePlay))

            # The words of an app that must update. {currentVersion} is the version that it sent. Further
            # languages stand beside the first one; the default is for everybody else.
            defaultLanguage: "\(self.language)"
            notices:
              upgrade:
                "\(self.language)":\(words.needTranslation ? " # placeholder: translate the words" : "")
                  title: "\(words.title)"
                  message: "\(words.message)"
                  button: "\(words.button)"

            # The promises of these rules: rules that fail one of their tests are never loaded. These hold for
            # every floor; add one with the version that most people have.
            tests:
            \(self.tests(of: "ios"))
            \(self.tests(of: "android"))

            """
    }

    private func tests(of platform: String) -> String {
        """
          - name: the first build ever for \(platform) must update
            request: { platform: \(platform), version: "0.0.1" }
            expect: { decision: require, rule: \(platform) }
          - name: a build for \(platform) of years to come passes
            request: { platform: \(platform), version: "9999.0.0" }
            expect: { decision: [allow, recommend] }
        """
    }

    /// The page of the app in the store for Android, which its identifier names.
    private var androidLink: String? {
        self.androidURL
            ?? self.appID.map { "https://play.google.com/store/apps/details?id=\($0)" }
    }

    private static func link(_ url: String?, _ placeholder: String) -> String {
        Self.line("\"\(url ?? placeholder)\"", given: url)
    }

    private static func line(_ value: String, given: String?) -> String {
        given == nil ? "\(value) # placeholder: replace it" : value
    }
}

/// The store links of a new rules file for which nobody has given any.
///
/// They are good links, and lead nowhere: a file that is in force with one of them sends its users
/// there.
enum PlaceholderLink {
    static let appStore = "https://apps.apple.com/app/id0000000000"
    static let googlePlay = "https://play.google.com/store/apps/details?id=com.example.app"

    static let all = [Self.appStore, Self.googlePlay]
}

/// The words of an app whose update is required, in the languages that a new rules file can begin
/// in.
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

/// Why no rules file can be made of what somebody asked for.
package enum RulesTemplateError: Error, Equatable, CustomStringConvertible {
    case appID(String)
    case storeURL(String, reason: String)
    case language(String)

    package var description: String {
        switch self {
        case .appID(let text):
            "'\(text)' is not an app identifier: 1 to 128 letters, digits, '.', '_' and '-'"
        case .storeURL(let text, let reason): "'\(text)' is not a store link: \(reason)"
        case .language(let text): "'\(text)' is not a language tag such as 'en' or 'zh-Hant'"
        }
    }
}
