public import Foundation

/// An update as a view shows it.
///
/// It holds no words of its own: where the operator wrote none, the app has to say something.
public struct UpdatePrompt: Sendable, Hashable, Identifiable {
    /// The update.
    public let update: Update
    /// Whether the user may go on without the update.
    ///
    /// If it is `false`, the user cannot close the prompt.
    public let isDismissible: Bool

    /// Makes the prompt of a state; `nil` if the state is not about an update.
    ///
    /// - Parameter state: What is in effect, as ``GateState/inEffect`` says it.
    public init?(_ state: GateState) {
        switch state {
        case .recommended(let update):
            self.init(update, isDismissible: true)
        case .required(let update):
            self.init(update, isDismissible: false)
        case .allowed, .maintenance, .unknown:
            return nil
        }
    }

    /// Makes the prompt of a denial; `nil` if it is for maintenance.
    ///
    /// - Parameter denial: What ``GateDenied`` has.
    public init?(_ denial: Denial) {
        guard case .updateRequired(let update) = denial.reason else { return nil }
        self.init(update, isDismissible: false)
    }

    private init(_ update: Update, isDismissible: Bool) {
        self.update = update
        self.isDismissible = isDismissible
    }

    /// The same for the same update: a prompt that is shown stays when the gate only says it again.
    public var id: String {
        let version = self.update.latestVersion ?? self.update.minimumVersion ?? ""
        return "\(self.isDismissible ? "recommended" : "required") \(version)"
    }

    /// The heading.
    public var title: String? { self.update.title }

    /// The operator's words to the user.
    public var message: String? { self.update.message }

    /// The words on the button to the store.
    public var button: String? { self.storeURL == nil ? nil : self.update.button }

    /// The target of the button; `nil` if there is no button to show, as for a device whose system is too
    /// old for the update.
    public var storeURL: URL? { self.update.cannotUpdate ? nil : self.update.storeURL }
}
