extension NoticeDefinition {
    /// The words for a client below a floor, where the rules file has none.
    static let upgrade = NoticeDefinition(
        texts: [
            .english: NoticeText(
                title: NoticeTemplate(literal: "Update required"),
                message: NoticeTemplate(
                    literal: "This version of the app no longer works. "
                        + "Please update to the latest version."
                ),
                button: NoticeTemplate(literal: "Update")
            )
        ]
    )

    /// The words for a client that meets maintenance.
    static let maintenance = NoticeDefinition(
        texts: [
            .english: NoticeText(
                title: NoticeTemplate(literal: "Down for maintenance"),
                message: NoticeTemplate(
                    literal: "We are working on the service. Please try again later."
                )
            )
        ]
    )

    /// The words for a client that does not say which build it is.
    static let unidentified = NoticeDefinition(
        texts: [
            .english: NoticeText(
                title: NoticeTemplate(literal: "Update required"),
                message: NoticeTemplate(
                    literal: "The version of the app could not be recognised. "
                        + "Please update to the latest version."
                ),
                button: NoticeTemplate(literal: "Update")
            )
        ]
    )
}
