package io.redelay.test.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

/**
 * Tests for {@link TestReport}.
 */
class TestReportTests {

	private final Instant start = Instant.now().minus(Duration.ofHours(1));

	private Path root;

	@BeforeEach
	void keep(@TempDir Path root) {
		this.root = root;
	}

	@Test
	void listsTheTenSlowestClassesOfAllModules() throws IOException {
		for (int i = 1; i <= 6; i++) {
			report("one/target/surefire-reports", "io.redelay.One%dTests".formatted(i), "%d.04".formatted(i), "");
			report("two/three/target/unchecked/failsafe-reports", "io.redelay.Two%dTests".formatted(i),
					"1,%d00.5".formatted(i), "");
		}
		List<String> lines = TestReport.read(this.root, this.start).text().lines().toList();
		assertThat(lines).hasSize(11)
			.startsWith("Slowest test classes of this build so far:", "  1600.5 s  io.redelay.Two6Tests",
					"  1500.5 s  io.redelay.Two5Tests")
			.endsWith("     4.0 s  io.redelay.One4Tests", "     3.0 s  io.redelay.One3Tests");
	}

	@Test
	void namesTestsThatPassedWhenTheyWereRepeated() throws IOException {
		report("one/target/failsafe-reports", "io.redelay.OneTests", "1", """
				<testcase classname="io.redelay.OneTests" name="isSteady"/>
				<testcase classname="io.redelay.OneTests" name="fails">
					<flakyFailure message="Expected 1&#10;but was 2" type="AssertionError">at a line</flakyFailure>
				</testcase>
				<testcase classname="io.redelay.OneTests" name="breaks">
					<flakyError type="java.lang.IllegalStateException"><system-out>text</system-out></flakyError>
				</testcase>
				<testcase classname="io.redelay.OneTests" name="failsTwice">
					<flakyFailure message="first"/>
					<flakyError message="second"/>
				</testcase>
				<testcase classname="io.redelay.OneTests" name="failsForGood"><failure message="no"/></testcase>
				""");
		TestReport report = TestReport.read(this.root, this.start);
		assertThat(report.text()).endsWith("""
				Flaky tests of this build so far, which failed and passed when repeated:
				  io.redelay.OneTests.breaks: java.lang.IllegalStateException
				  io.redelay.OneTests.fails: Expected 1
				  io.redelay.OneTests.failsTwice: first
				  io.redelay.OneTests.failsTwice: second
				""").doesNotContain("isSteady", "failsForGood");
		assertThat(report.hasTooManyFlakyTests()).isFalse();
	}

	@Test
	void doesNotAcceptMoreThanFiveFlakyTestsOfAllModules() throws IOException {
		for (String module : List.of("one", "two", "three", "four", "five")) {
			flaky(module);
		}
		TestReport report = TestReport.read(this.root, this.start);
		assertThat(report.hasTooManyFlakyTests()).as("five tests, each of which failed twice").isFalse();
		flaky("six");
		report = TestReport.read(this.root, this.start);
		assertThat(report.hasTooManyFlakyTests()).isTrue();
		assertThat(report.text()).endsWith("The build fails, as more than 5 tests are flaky.\n");
	}

	@Test
	void leavesOutReportsOfAnEarlierBuildAndOtherFiles() throws IOException {
		Path report = report("one/target/surefire-reports", "io.redelay.OneTests", "1", "");
		Files.setLastModifiedTime(report, FileTime.from(this.start.minus(Duration.ofSeconds(1))));
		report("one/src/surefire-reports", "io.redelay.OneTests", "1", "");
		report("one/target/other", "io.redelay.OneTests", "1", "");
		assertThat(TestReport.read(this.root, this.start).text()).isEmpty();
	}

	@Test
	void leavesOutAReportThatIsBeingWritten() throws IOException {
		report("one/target/surefire-reports", "io.redelay.OneTests", "1", "");
		Path written = report("two/target/surefire-reports", "io.redelay.TwoTests", "1", "<testcase");
		assertThat(TestReport.read(this.root, this.start).text()).contains("OneTests").doesNotContain("TwoTests");
		Files.setLastModifiedTime(written, FileTime.from(Instant.now().minus(Duration.ofMinutes(2))));
		assertThatIOException().isThrownBy(() -> TestReport.read(this.root, this.start))
			.withMessageContaining("TEST-io.redelay.TwoTests.xml");
	}

	private void flaky(String module) throws IOException {
		report(module + "/target/surefire-reports", "io.redelay.%sTests".formatted(module), "1", """
				<testcase classname="io.redelay.%sTests" name="fails">
					<flakyFailure message="no"/><flakyFailure message="no"/>
				</testcase>
				""".formatted(module));
	}

	private Path report(String directory, String name, String seconds, String content) throws IOException {
		Path file = Files.createDirectories(this.root.resolve(directory)).resolve("TEST-%s.xml".formatted(name));
		return Files.writeString(file, """
				<?xml version="1.0" encoding="UTF-8"?>
				<testsuite name="%s" time="%s" tests="1">%s</testsuite>
				""".formatted(name, seconds, content));
	}

}
