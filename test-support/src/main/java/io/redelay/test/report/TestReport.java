package io.redelay.test.report;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * Lists the slowest test classes of a build and the tests that passed only when they were
 * repeated, from the reports that Surefire and Failsafe write. One build runs its test
 * classes in several JVMs and modules; only their reports cover all of them.
 * <p>
 * The build runs this file without compiling it first, so it stays one file that needs
 * nothing but the JDK.
 *
 * @since 0.1.0
 */
public final class TestReport {

	private static final int SLOWEST = 10;

	/**
	 * A machine that is four times slower, or busy, must not lose a build to these.
	 */
	private static final int ACCEPTED_FLAKY_TESTS = 5;

	private static final Set<String> REPORT_DIRECTORIES = Set.of("surefire-reports", "failsafe-reports");

	private static final Set<String> WITHOUT_REPORTS = Set.of(".git", "src", "classes", "test-classes", "node_modules");

	/**
	 * For how long a report may be written: modules of one build run at the same time.
	 */
	private static final Duration WRITTEN = Duration.ofMinutes(1);

	private final List<Suite> suites = new ArrayList<>();

	/**
	 * How each flaky test failed, as often as it did.
	 */
	private final Map<String, List<String>> flaky = new TreeMap<>();

	private final XMLInputFactory xml = XMLInputFactory.newInstance();

	private TestReport() {
		this.xml.setProperty(XMLInputFactory.SUPPORT_DTD, false);
		this.xml.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
	}

	/**
	 * Prints the report of a build, and ends with code 1 if too many tests are flaky.
	 * @param arguments the root of the source tree, and when the build started, such as
	 * {@code 2026-11-20T08:00:00Z}
	 * @throws IOException if a report cannot be read
	 */
	public static void main(String[] arguments) throws IOException {
		TestReport report = read(Path.of(arguments[0]), Instant.parse(arguments[1]));
		System.out.print(report.text());
		if (report.hasTooManyFlakyTests()) {
			System.exit(1);
		}
	}

	/**
	 * Reads the reports of all modules.
	 * @param root the root of the source tree
	 * @param start when the build started; older reports are another build's
	 * @return the report
	 * @throws IOException if a report cannot be read
	 */
	static TestReport read(Path root, Instant start) throws IOException {
		TestReport report = new TestReport();
		Files.walkFileTree(root, new SimpleFileVisitor<>() {

			@Override
			public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
				boolean skipped = WITHOUT_REPORTS.contains(name(directory));
				return skipped ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
			}

			@Override
			public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
				boolean ofThisBuild = !attributes.lastModifiedTime().toInstant().isBefore(start);
				if (ofThisBuild && isReport(file)) {
					report.add(file, attributes.lastModifiedTime().toInstant());
				}
				return FileVisitResult.CONTINUE;
			}

			@Override
			public FileVisitResult visitFileFailed(Path file, IOException ex) {
				// Deleted by a process that a test left to end by itself.
				return FileVisitResult.CONTINUE;
			}

		});
		return report;
	}

	private static boolean isReport(Path file) {
		String name = name(file);
		return name.startsWith("TEST-") && name.endsWith(".xml")
				&& REPORT_DIRECTORIES.contains(name(file.resolveSibling("")));
	}

	private static String name(Path path) {
		Path name = path.getFileName();
		return (name != null) ? name.toString() : "";
	}

	private void add(Path file, Instant modified) throws IOException {
		List<Suite> suites = new ArrayList<>();
		Map<String, List<String>> flaky = new TreeMap<>();
		try (InputStream content = Files.newInputStream(file)) {
			XMLStreamReader reader = this.xml.createXMLStreamReader(content);
			String test = "";
			while (reader.hasNext()) {
				if (reader.next() != XMLStreamConstants.START_ELEMENT) {
					continue;
				}
				switch (reader.getLocalName()) {
					case "testsuite" -> suites.add(new Suite(attribute(reader, "name"), seconds(reader)));
					case "testcase" -> test = attribute(reader, "classname") + "." + attribute(reader, "name");
					case "flakyFailure", "flakyError" ->
						flaky.computeIfAbsent(test, (key) -> new ArrayList<>()).add(firstLine(reader));
					default -> {
					}
				}
			}
		}
		catch (XMLStreamException ex) {
			if (modified.isBefore(Instant.now().minus(WRITTEN))) {
				throw new IOException("Cannot read the test report '%s'".formatted(file), ex);
			}
			return;
		}
		this.suites.addAll(suites);
		flaky
			.forEach((test, failures) -> this.flaky.computeIfAbsent(test, (key) -> new ArrayList<>()).addAll(failures));
	}

	private static String attribute(XMLStreamReader reader, String name) {
		String value = reader.getAttributeValue(null, name);
		return (value != null) ? value : "";
	}

	private static double seconds(XMLStreamReader reader) {
		// From a thousand on Surefire separates thousands.
		String time = attribute(reader, "time").replace(",", "");
		return time.isEmpty() ? 0 : Double.parseDouble(time);
	}

	private static String firstLine(XMLStreamReader reader) {
		String message = attribute(reader, "message");
		return (message.isBlank() ? attribute(reader, "type") : message).strip().lines().findFirst().orElse("");
	}

	/**
	 * Returns the report, empty if no test ran.
	 * @return lines, the last one ended as well
	 */
	String text() {
		StringBuilder text = new StringBuilder();
		if (!this.suites.isEmpty()) {
			text.append("Slowest test classes of this build so far:\n");
			this.suites.stream()
				.sorted(Comparator.comparingDouble(Suite::seconds).reversed().thenComparing(Suite::name))
				.limit(SLOWEST)
				.forEach((suite) -> text.append(suite.line()));
		}
		if (!this.flaky.isEmpty()) {
			text.append("Flaky tests of this build so far, which failed and passed when repeated:\n");
			this.flaky.forEach((test, failures) -> failures
				.forEach((failure) -> text.append("  ").append(test).append(": ").append(failure).append('\n')));
		}
		if (hasTooManyFlakyTests()) {
			text.append("The build fails, as more than %d tests are flaky.\n".formatted(ACCEPTED_FLAKY_TESTS));
		}
		return text.toString();
	}

	boolean hasTooManyFlakyTests() {
		return this.flaky.size() > ACCEPTED_FLAKY_TESTS;
	}

	private record Suite(String name, double seconds) {

		String line() {
			return String.format(Locale.ROOT, "%8.1f s  %s\n", this.seconds, this.name);
		}

	}

}
