package io.redelay.test.release;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.stream.Stream;

import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;

import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.SAXException;

/**
 * Checks a local repository with a release in it: that each artifact has all that Maven
 * Central asks for, and what users of Redelay expect beyond that.
 * <p>
 * {@code .ci/bundle} runs this file without compiling it first, so it stays one file that
 * needs nothing but the JDK.
 *
 * @since 0.1.0
 */
public final class BundleCheck {

	private static final String PARENT = "redelay-parent";

	private static final String BOM = "redelay-bom";

	private static final List<String> POMS = List.of(PARENT, BOM);

	/**
	 * What is built, and is not for users.
	 */
	static final List<String> UNPUBLISHED = List.of("redelay-test-support", "redelay-docs", "redelay-benchmarks",
			"redelay-kotlin-tests", "redelay-management-tests", "redelay-sample-shop", "redelay-sample-lock",
			"redelay-sample-reminders");

	private final Path group;

	private final String version;

	private final List<String> findings = new ArrayList<>();

	/**
	 * The artifact that has a module name.
	 */
	private final Map<String, String> modules = new HashMap<>();

	private BundleCheck(Path group, String version) {
		this.group = group;
		this.version = version;
	}

	/**
	 * Prints what is wrong with a release, and ends with code 1 if anything is.
	 * @param arguments the folder of the group in the repository, and the version
	 * @throws IOException if a file cannot be read
	 */
	public static void main(String[] arguments) throws IOException {
		List<String> findings = findings(Path.of(arguments[0]), arguments[1]);
		findings.forEach(System.out::println);
		if (!findings.isEmpty()) {
			System.exit(1);
		}
		System.out.println("Version " + arguments[1] + " has all that a release needs");
	}

	/**
	 * Checks a release.
	 * @param group the folder of the group in the repository
	 * @param version the version
	 * @return what is wrong
	 * @throws IOException if a file cannot be read
	 */
	public static List<String> findings(Path group, String version) throws IOException {
		BundleCheck check = new BundleCheck(group, version);
		check.checkAll();
		return check.findings;
	}

	private void checkAll() throws IOException {
		Path bom = file(BOM, ".pom");
		if (!Files.isRegularFile(bom)) {
			this.findings.add(BOM + " is missing");
			return;
		}
		List<String> expected = new ArrayList<>(POMS);
		expected.addAll(artifactsOf(bom));
		for (String artifact : expected) {
			if (Files.isDirectory(this.group.resolve(artifact).resolve(this.version))) {
				check(artifact);
			}
			else {
				this.findings.add(artifact + " is missing");
			}
		}
		try (Stream<Path> present = Files.list(this.group)) {
			present.map((each) -> each.getFileName().toString())
				.filter((each) -> !expected.contains(each))
				.sorted()
				.forEach((each) -> this.findings
					.add(each + (UNPUBLISHED.contains(each) ? " is not to be published" : " is not in the BOM")));
		}
	}

	private void check(String artifact) throws IOException {
		checkPom(artifact);
		checkFile(artifact, ".pom");
		if (!POMS.contains(artifact)) {
			for (String kind : List.of(".jar", "-sources.jar", "-javadoc.jar")) {
				checkFile(artifact, kind);
			}
			checkJar(artifact);
		}
	}

	private Path file(String artifact, String ending) {
		return this.group.resolve(artifact).resolve(this.version).resolve(artifact + "-" + this.version + ending);
	}

	/**
	 * Checks that a file is there, with its signature and its checksums.
	 */
	private void checkFile(String artifact, String ending) throws IOException {
		Path file = file(artifact, ending);
		if (!Files.isRegularFile(file)) {
			this.findings.add(artifact + " has no " + ending);
			return;
		}
		Path signature = Path.of(file + ".asc");
		if (!Files.isRegularFile(signature) || !Files.readString(signature).startsWith("-----BEGIN PGP SIGNATURE")) {
			this.findings.add(artifact + ": " + ending + " is not signed");
		}
		for (String algorithm : List.of("MD5", "SHA-1")) {
			Path sum = Path.of(file + "." + algorithm.replace("-", "").toLowerCase(Locale.ROOT));
			if (!Files.isRegularFile(sum) || !Files.readString(sum).strip().equals(sum(file, algorithm))) {
				this.findings.add(artifact + ": " + ending + " has no right " + algorithm);
			}
		}
	}

	private static String sum(Path file, String algorithm) throws IOException {
		try {
			return HexFormat.of().formatHex(MessageDigest.getInstance(algorithm).digest(Files.readAllBytes(file)));
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Checks what Maven Central asks for. An artifact has from its parent what it does
	 * not say itself.
	 */
	private void checkPom(String artifact) throws IOException {
		Element pom = pom(file(artifact, ".pom"));
		boolean inherits = text(pom, "parent", "artifactId").equals(PARENT);
		Element common = inherits ? pom(file(PARENT, ".pom")) : pom;
		for (String own : List.of("name", "description")) {
			require(artifact, own, text(pom, own));
		}
		require(artifact, "url", value(common, "url"));
		require(artifact, "licence", text(common, "licenses", "license", "name"));
		require(artifact, "licence's url", text(common, "licenses", "license", "url"));
		require(artifact, "developer", text(common, "developers", "developer", "name"));
		for (String part : List.of("connection", "developerConnection", "url")) {
			require(artifact, "scm/" + part, value(common, "scm", part));
		}
		if (!text(inherits ? child(pom, "parent") : pom, "version").equals(this.version)) {
			this.findings.add(artifact + " has a pom of another version");
		}
		if (Files.readString(file(artifact, ".pom")).contains("-SNAPSHOT")) {
			this.findings.add(artifact + " names a snapshot in its pom");
		}
	}

	private void require(String artifact, String what, String value) {
		if (value.isBlank() || value.contains("${")) {
			this.findings.add(artifact + " has no " + what + " in its pom");
		}
	}

	private void checkJar(String artifact) throws IOException {
		Path file = file(artifact, ".jar");
		if (!Files.isRegularFile(file)) {
			return;
		}
		try (JarFile jar = new JarFile(file.toFile())) {
			for (String entry : List.of("META-INF/LICENSE", "META-INF/NOTICE")) {
				if (jar.getEntry(entry) == null) {
					this.findings.add(artifact + " has no " + entry);
				}
			}
			String materials = text(jar, "META-INF/sbom/" + artifact + ".cdx.json");
			if (!materials.contains("\"CycloneDX\"")
					|| !materials.contains("pkg:maven/io.redelay/" + artifact + "@" + this.version)) {
				this.findings.add(artifact + " has no bill of materials");
			}
			if (jar.getEntry("META-INF/sbom/application.cdx.json") != null) {
				this.findings.add(artifact + " has a bill of materials in the place of the application's");
			}
			Manifest manifest = jar.getManifest();
			Attributes main = (manifest != null) ? manifest.getMainAttributes() : new Attributes();
			if (!this.version.equals(main.getValue("Implementation-Version"))) {
				this.findings.add(artifact + " has no Implementation-Version " + this.version);
			}
			if (Objects.requireNonNullElse(main.getValue("Implementation-Title"), "").isBlank()) {
				this.findings.add(artifact + " has no Implementation-Title");
			}
			String module = main.getValue("Automatic-Module-Name");
			String other = (module != null) ? this.modules.put(module, artifact) : artifact;
			if (module == null || !module.startsWith("io.redelay.") || other != null) {
				this.findings.add(artifact + " has no module name of its own: " + module + ", " + other);
			}
		}
	}

	private static String text(JarFile jar, String entry) throws IOException {
		if (jar.getEntry(entry) == null) {
			return "";
		}
		try (InputStream content = jar.getInputStream(jar.getEntry(entry))) {
			return new String(content.readAllBytes(), StandardCharsets.UTF_8);
		}
	}

	private static List<String> artifactsOf(Path bom) throws IOException {
		List<String> artifacts = new ArrayList<>();
		Element managed = child(child(pom(bom), "dependencyManagement"), "dependencies");
		for (Node node = managed.getFirstChild(); node != null; node = node.getNextSibling()) {
			if (node instanceof Element dependency) {
				artifacts.add(text(dependency, "artifactId"));
			}
		}
		return artifacts;
	}

	private static Element pom(Path file) throws IOException {
		try (InputStream content = Files.newInputStream(file)) {
			DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
			factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
			Document document = factory.newDocumentBuilder().parse(content);
			return document.getDocumentElement();
		}
		catch (SAXException | ParserConfigurationException ex) {
			throw new IOException(file + " is no pom", ex);
		}
	}

	/**
	 * Reads a text in which a property of the same pom may stand.
	 */
	private static String value(Element pom, String... path) {
		String text = text(pom, path);
		int start = text.indexOf("${");
		if (start < 0) {
			return text;
		}
		int end = text.indexOf('}', start);
		return text.substring(0, start) + text(pom, "properties", text.substring(start + 2, end))
				+ text.substring(end + 1);
	}

	private static String text(Element parent, String... path) {
		Element element = parent;
		for (String name : path) {
			element = child(element, name);
		}
		return element.getTextContent().strip();
	}

	/**
	 * Returns a child, an empty one if there is none.
	 */
	private static Element child(Element parent, String name) {
		for (Node node = parent.getFirstChild(); node != null; node = node.getNextSibling()) {
			if (node instanceof Element element && element.getTagName().equals(name)) {
				return element;
			}
		}
		return parent.getOwnerDocument().createElement(name);
	}

}
