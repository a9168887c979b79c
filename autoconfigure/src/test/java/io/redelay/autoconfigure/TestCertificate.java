package io.redelay.autoconfigure;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/**
 * A key and a certificate that it signed itself, made by the JDK's keytool.
 */
final class TestCertificate {

	private static final char[] PASSWORD = "changeit".toCharArray();

	private final KeyStore store;

	private final Path certificate;

	private final Path key;

	private TestCertificate(KeyStore store, Path certificate, Path key) {
		this.store = store;
		this.certificate = certificate;
		this.key = key;
	}

	/**
	 * Makes a certificate.
	 * @param directory where to put the files
	 * @param name what the files are called
	 * @param subjects the names it is for, as keytool's {@code san} extension takes it
	 * @return the certificate
	 */
	static TestCertificate create(Path directory, String name, String subjects)
			throws IOException, InterruptedException, GeneralSecurityException {
		Path file = directory.resolve(name + ".p12");
		Process keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
				"-genkeypair", "-alias", "redis", "-keyalg", "RSA", "-keysize", "2048", "-dname", "CN=" + name, "-ext",
				"san=" + subjects, "-validity", "30", "-storetype", "PKCS12", "-keystore", file.toString(),
				"-storepass", new String(PASSWORD))
			.redirectErrorStream(true)
			.start();
		String output = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		if (keytool.waitFor() != 0) {
			throw new IllegalStateException("keytool failed: " + output);
		}
		KeyStore store = KeyStore.getInstance("PKCS12");
		try (InputStream in = Files.newInputStream(file)) {
			store.load(in, PASSWORD);
		}
		return new TestCertificate(store,
				pem(directory.resolve(name + ".crt"), "CERTIFICATE", store.getCertificate("redis").getEncoded()),
				pem(directory.resolve(name + ".key"), "PRIVATE KEY", store.getKey("redis", PASSWORD).getEncoded()));
	}

	Path certificate() {
		return this.certificate;
	}

	Path key() {
		return this.key;
	}

	SSLContext serverContext() throws GeneralSecurityException {
		KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
		keys.init(this.store, PASSWORD);
		SSLContext context = SSLContext.getInstance("TLS");
		context.init(keys.getKeyManagers(), null, null);
		return context;
	}

	private static Path pem(Path file, String type, byte[] content) throws IOException {
		String body = Base64.getMimeEncoder(64, new byte[] { '\n' }).encodeToString(content);
		return Files.writeString(file, "-----BEGIN %1$s-----\n%2$s\n-----END %1$s-----\n".formatted(type, body));
	}

}
