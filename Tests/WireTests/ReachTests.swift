import AgentKit
import Testing
import Wire

@Suite struct `What a person has allowed to be read` {
  @Test func `is a file or a folder as it is named, and of a model every part`() {
    let confinement = Confinement(permissions: [
      .reading("/notes"), .network, .reading("/m/large-00001-of-00003.gguf"), .writing("/out"),
      .running("/bin/true"), .reading("/m/small.gguf"), .reading("/m/other-00002-of-00003.gguf"),
    ])
    #expect(
      confinement.readablePaths == [
        "/notes", "/m/large-00001-of-00003.gguf", "/m/large-00002-of-00003.gguf",
        "/m/large-00003-of-00003.gguf", "/bin/true", "/m/small.gguf",
        "/m/other-00002-of-00003.gguf",
      ]
    )
  }

  private static func comesWithTheNetwork(_ path: String) -> Bool {
    Confinement.networkFiles.contains { path == $0 || path.hasPrefix($0 + "/") }
  }

  @Test(arguments: [
    // Debian, Arch, Alpine and Fedora.
    "/etc/ssl/certs/ca-certificates.crt", "/usr/share/ca-certificates/mozilla/ISRG_Root_X1.crt",
    "/etc/ca-certificates/extracted/tls-ca-bundle.pem", "/etc/ssl/cert.pem",
    "/etc/ssl/openssl.cnf", "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/resolv.conf",
  ])
  func `of the network are the certificates of authorities`(path: String) {
    #expect(Self.comesWithTheNetwork(path))
  }

  @Test(arguments: [
    "/etc/ssl", "/etc/ssl/private/ssl-cert-snakeoil.key", "/etc/pki/tls/private/localhost.key",
    "/etc/pki/nssdb/key4.db", "/etc/pki/consumer/key.pem", "/etc/pki/entitlement/1-key.pem",
    "/etc/pki/ca-trust/source/anchors/own.pem", "/etc/letsencrypt/live/a/privkey.pem",
  ])
  func `of the network are no private keys`(path: String) {
    #expect(!Self.comesWithTheNetwork(path))
  }
}
