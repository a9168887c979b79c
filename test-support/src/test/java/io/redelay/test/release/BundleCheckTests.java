package io.redelay.test.release;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarOutputStream;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link BundleCheck}.
 */
class BundleCheckTests {

	private static final String COMMON = """
			<name>Name</name><description>Words</description><url>${home}</url>
			<licenses><license><name>Apache-2.0</name><url>https://example.org/licence</url></license></licenses>
			<developers><developer><name>Somebody</name></developer></developers>
			<scm><connection>scm:git:${home}</connection><developerConnection>scm:git:${home}</developerConnection>
			<url>${home}</url></scm><properties><home>https://example.org</home></properties>""";

	private static final String JAR = """
			<name>Name</name><description>Words</description>
			<parent><artifactId>redelay-parent</artifactId><version>1.0</version></parent>""";

	@TempDir
	private Path group;

	private final Map<String, String> entries = new LinkedHashMap<>();

	@BeforeEach
	void write() throws IOException {
		pom("redelay-parent", "<version>1.0</version>" + COMMON);
		pom("redelay-bom", "<version>1.0</version>" + COMMON + "<dependencyManagement><dependencies>"
				+ "<dependency><artifactId>redelay-queue</artifactId></dependency></dependencies></dependencyManagement>");
		pom("redelay-queue", JAR);
		this.entries.put("META-INF/MANIFEST.MF", """
				Manifest-Version: 1.0
				Implementation-Title: Queue
				Implementation-Version: 1.0
				Automatic-Module-Name: io.redelay.queue

				""");
		this.entries.put("META-INF/LICENSE", "licence");
		this.entries.put("META-INF/NOTICE", "notice");
		this.entries.put("META-INF/sbom/redelay-queue.cdx.json",
				"{\"bomFormat\":\"CycloneDX\",\"purl\":\"pkg:maven/io.redelay/redelay-queue@1.0?type=jar\"}");
		jar();
		write("redelay-queue", "-sources.jar", "sources".getBytes(StandardCharsets.UTF_8));
		write("redelay-queue", "-javadoc.jar", "javadoc".getBytes(StandardCharsets.UTF_8));
	}

	@Test
	void aCompleteReleasePasses() throws IOException {
		assertThat(findings()).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "name", "description" })
	void eachArtifactDescribesItself(String element) throws IOException {
		pom("redelay-queue", JAR.replace(element + ">", "other>"));
		assertThat(findings()).containsExactly("redelay-queue has no " + element + " in its pom");
	}

	@ParameterizedTest
	@ValueSource(strings = { "url", "licenses", "developers", "scm", "connection", "developerConnection", "home" })
	void theBomHasAllThatMavenCentralAsksFor(String element) throws IOException {
		String bom = Files.readString(file("redelay-bom", ".pom"));
		write("redelay-bom", ".pom",
				bom.replaceAll("(</?)" + element + ">", "$1other>").getBytes(StandardCharsets.UTF_8));
		assertThat(findings()).isNotEmpty()
			.allSatisfy((finding) -> assertThat(finding).startsWith("redelay-bom has no "));
	}

	@ParameterizedTest
	@ValueSource(strings = { "META-INF/LICENSE", "META-INF/NOTICE" })
	void eachJarHasItsLicence(String entry) throws IOException {
		this.entries.remove(entry);
		jar();
		assertThat(findings()).containsExactly("redelay-queue has no " + entry);
	}

	@Test
	void eachJarHasABillOfMaterialsOfItsOwn() throws IOException {
		this.entries.put("META-INF/sbom/application.cdx.json", "{}");
		this.entries.computeIfPresent("META-INF/sbom/redelay-queue.cdx.json",
				(entry, text) -> text.replace("@1.0", "@0.9"));
		jar();
		assertThat(findings()).containsExactly("redelay-queue has no bill of materials",
				"redelay-queue has a bill of materials in the place of the application's");
	}

	@Test
	void eachManifestNamesVersionAndModule() throws IOException {
		this.entries.put("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\n\n");
		jar();
		assertThat(findings()).hasSize(3)
			.allSatisfy((finding) -> assertThat(finding).startsWith("redelay-queue has no"));
	}

	@Test
	void eachModuleNameIsThereOnce() throws IOException {
		pom("redelay-bom",
				Files.readString(file("redelay-bom", ".pom"))
					.replace("</dependencies>",
							"<dependency><artifactId>redelay-lock</artifactId></dependency></dependencies>")
					.replaceAll("</?project>", ""));
		pom("redelay-lock", JAR);
		for (String ending : List.of(".jar", "-sources.jar", "-javadoc.jar")) {
			write("redelay-lock", ending, Files.readAllBytes(file("redelay-queue", ending)));
		}
		assertThat(findings()).contains("redelay-lock has no module name of its own: io.redelay.queue, redelay-queue");
	}

	@ParameterizedTest
	@ValueSource(strings = { ".pom", ".jar", "-sources.jar", "-javadoc.jar" })
	void eachFileIsThereAndSignedWithChecksums(String ending) throws IOException {
		Files.delete(Path.of(file("redelay-queue", ending) + ".asc"));
		Files.writeString(Path.of(file("redelay-queue", ending) + ".sha1"), "0");
		assertThat(findings()).containsExactly("redelay-queue: " + ending + " is not signed",
				"redelay-queue: " + ending + " has no right SHA-1");
		if (!ending.equals(".pom")) {
			Files.delete(file("redelay-queue", ending));
			assertThat(findings()).contains("redelay-queue has no " + ending);
		}
	}

	@Test
	void nothingElseIsPublished() throws IOException {
		pom("redelay-docs", JAR);
		pom("redelay-more", JAR);
		assertThat(findings()).containsExactly("redelay-docs is not to be published", "redelay-more is not in the BOM");
	}

	@Test
	void aSnapshotIsNoRelease() throws IOException {
		pom("redelay-queue", JAR.replace("Words", "of 1.0-SNAPSHOT"));
		assertThat(findings()).containsExactly("redelay-queue names a snapshot in its pom");
	}

	@Test
	void eachModuleIsInTheListsOfARelease() throws IOException {
		Path root = Path.of("..");
		String parent = Files.readString(root.resolve("pom.xml"));
		String bom = Files.readString(root.resolve("bom/pom.xml"));
		List<String> modules = all("<module>(.+)</module>", parent);
		assertThat(modules).hasSizeGreaterThan(15);
		for (String module : modules) {
			String pom = Files.readString(root.resolve(module).resolve("pom.xml"));
			String artifact = all("<artifactId>(redelay-.+)</artifactId>",
					pom.replaceAll("(?s)<parent>.*?</parent>", ""))
				.get(0);
			boolean published = module.equals("bom") || pom.contains("<maven.deploy.skip>false<");
			assertThat(BundleCheck.UNPUBLISHED.contains(artifact)).as(artifact).isNotEqualTo(published);
			assertThat(parent.contains("<excludeArtifact>" + artifact + "<")).as(artifact).isNotEqualTo(published);
			assertThat(bom.contains("<artifactId>" + artifact + "<")).as(artifact).isEqualTo(published);
			for (String script : List.of("bundle", "reproducible")) {
				assertThat(listed(root, script).contains(module)).as(module + " in " + script).isEqualTo(published);
			}
			boolean code = published && Files.isDirectory(root.resolve(module).resolve("src/main/java"))
					&& !pom.contains("<artifactId>spring-boot-maven-plugin<"); // a
																				// program
																				// has no
																				// API
			assertThat(listed(root, "api").contains(module)).as(module + " in api").isEqualTo(code);
		}
	}

	private static List<String> listed(Path root, String script) throws IOException {
		return List.of(all("-pl (\\S+)", Files.readString(root.resolve(".ci").resolve(script))).get(0).split(","));
	}

	private static List<String> all(String pattern, String text) {
		return Pattern.compile(pattern).matcher(text).results().map((match) -> match.group(1)).toList();
	}

	private List<String> findings() throws IOException {
		return BundleCheck.findings(this.group, "1.0");
	}

	private Path file(String artifact, String ending) {
		return this.group.resolve(artifact).resolve("1.0").resolve(artifact + "-1.0" + ending);
	}

	private void pom(String artifact, String content) throws IOException {
		write(artifact, ".pom", ("<project>" + content + "</project>").getBytes(StandardCharsets.UTF_8));
	}

	private void jar() throws IOException {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		try (JarOutputStream jar = new JarOutputStream(bytes)) {
			for (Map.Entry<String, String> entry : this.entries.entrySet()) {
				jar.putNextEntry(new ZipEntry(entry.getKey()));
				jar.write(entry.getValue().getBytes(StandardCharsets.UTF_8));
			}
		}
		write("redelay-queue", ".jar", bytes.toByteArray());
	}

	private void write(String artifact, String ending, byte[] content) throws IOException {
		Path file = file(artifact, ending);
		Files.createDirectories(file.getParent());
		Files.write(file, content);
		Files.writeString(Path.of(file + ".asc"), "-----BEGIN PGP SIGNATURE-----");
		Files.writeString(Path.of(file + ".md5"), sum("MD5", content));
		Files.writeString(Path.of(file + ".sha1"), sum("SHA-1", content));
	}

	private static String sum(String algorithm, byte[] content) {
		try {
			return HexFormat.of().formatHex(MessageDigest.getInstance(algorithm).digest(content));
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
