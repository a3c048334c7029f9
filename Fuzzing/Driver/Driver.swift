import GateFuzzing
import Glibc

/// Feeds the input of libFuzzer to the target that the environment names.
enum Driver {
    private static let target: FuzzTarget = {
        let name = unsafe getenv("FUZZ_TARGET").map { unsafe String(cString: $0) } ?? ""
        guard let target = FuzzTarget.named(name) else {
            print("FUZZ_TARGET is none of \(FuzzTarget.all.map(\.name).joined(separator: " "))")
            exit(64)
        }
        return target
    }()

    static func check(_ input: [UInt8]) {
        do throws(Finding) {
            try Self.target.check(input)
        } catch {
            // libFuzzer keeps the input of whatever does not return.
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
