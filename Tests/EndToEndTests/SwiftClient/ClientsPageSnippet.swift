// docs/clients.md contains the code between the two markers.
import Foundation
import VersionGateClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

// -- begin
enum Orders {
    case loaded(Data)
    case updateFirst(Update)
    case backSoon(MaintenanceWindow)
}

func orders(through gate: VersionGateClient) async throws -> Orders {
    let request = URLRequest(url: gate.baseURL.appendingPathComponent("v2/orders"))
    do {
        let (data, _) = try await gate.data(for: request)
        return .loaded(data)
    } catch let denied as GateDenied {
        // `denied.denial.retryAfter` is set if the denial is temporary.
        switch denied.denial.reason {
        case .updateRequired(let update): return .updateFirst(update)
        case .maintenance(let window): return .backSoon(window)
        }
    }
}

func follow(_ gate: VersionGateClient, show: (UpdatePrompt?) -> Void) async {
    for await state in gate.states {
        show(gate.prompt(for: state))
    }
}
// -- end
