package io.redelay.embedded.redis;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;

import javax.net.SocketFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * A certificate of localhost, made with the JDK's keytool.
 *
 * @param file the certificate, a PEM file
 * @param key its key, a PEM file
 * @param store the certificate, as clients trust it
 */
record SelfSignedCertificate(Path file, Path key, KeyStore store) {

	private static final String PASSWORD = "changeit";

	static SelfSignedCertificate create(Path folder)
			throws IOException, GeneralSecurityException, InterruptedException {
		Path file = folder.resolve("server.p12");
		int exitCode = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
				"-genkeypair", "-alias", "server", "-dname", "CN=localhost", "-ext", "SAN=dns:localhost,ip:127.0.0.1",
				"-keyalg", "RSA", "-storetype", "PKCS12", "-storepass", PASSWORD, "-keystore", file.toString())
			.redirectErrorStream(true)
			.redirectOutput(ProcessBuilder.Redirect.DISCARD)
			.start()
			.waitFor();
		if (exitCode != 0) {
			throw new IllegalStateException("keytool ended with exit code %d".formatted(exitCode));
		}
		KeyStore keys = KeyStore.getInstance("PKCS12");
		try (InputStream content = Files.newInputStream(file)) {
			keys.load(content, PASSWORD.toCharArray());
		}
		KeyStore trusted = KeyStore.getInstance("PKCS12");
		trusted.load(null, null);
		trusted.setCertificateEntry("server", keys.getCertificate("server"));
		return new SelfSignedCertificate(
				pem(folder.resolve("server.crt"), "CERTIFICATE", keys.getCertificate("server").getEncoded()),
				pem(folder.resolve("server.key"), "PRIVATE KEY",
						keys.getKey("server", PASSWORD.toCharArray()).getEncoded()),
				trusted);
	}

	SocketFactory sockets() throws GeneralSecurityException {
		TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
		trust.init(this.store);
		SSLContext context = SSLContext.getInstance("TLS");
		context.init(null, trust.getTrustManagers(), null);
		return context.getSocketFactory();
	}

	private static Path pem(Path file, String type, byte[] content) throws IOException {
		return Files.writeString(file, "-----BEGIN %1$s-----%n%2$s%n-----END %1$s-----%n".formatted(type,
				Base64.getMimeEncoder().encodeToString(content)));
	}

}
