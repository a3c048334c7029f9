import GateFuzzing
import Glibc

/// Passes inputs from libFuzzer to the target that the environment names.
enum Driver {
    private static let target: FuzzTarget = {
        let name = unsafe getenv("FUZZ_TARGET").map { unsafe String(cString: $0) } ?? ""
        guard let target = FuzzTarget.named(name) else {
            print("FUZZ_TARGET must be one of \(FuzzTarget.all.map(\.name).joined(separator: " "))")
            exit(64)
        }
        return target
    }()

    static func check(_ input: [UInt8]) {
        do throws(Finding) {
            try Self.target.check(input)
        } catch {
            // libFuzzer saves an input for which the function does not return.
            fatalError("\(Self.target.name): \(error)")
        }
    }
}

/// The function that libFuzzer calls with every input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzerTestOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    unsafe Driver.check(Array(UnsafeBufferPointer(start: data, count: size)))
    return 0
}
