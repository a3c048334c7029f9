/// The store links of a new rules file for which nobody has given any.
///
/// They are good links, and lead nowhere: a file that is in force with one of them sends its users
/// there.
enum PlaceholderLink {
    static let appStore = "https://apps.apple.com/app/id0000000000"
    static let googlePlay = "https://play.google.com/store/apps/details?id=com.example.app"

    static let all = [Self.appStore, Self.googlePlay]
}
