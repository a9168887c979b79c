package io.redelay.guide.lookup;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The pages to look something up have what the code has. To make them anew, run
 *
 * <pre>
 * ./mvnw -pl docs -am test -Dtest=LookUpTests -Dsurefire.failIfNoSpecifiedTests=false -Dredelay.look-up.write=true
 * </pre>
 */
class LookUpTests {

	private static final Path ROOT = Path.of("..");

	private static Sources sources;

	@BeforeAll
	static void read() throws IOException {
		sources = new Sources(ROOT);
	}

	@Test
	void thePageOfAnnotationsIsThatOfTheCode() throws IOException {
		String page = AnnotationPage.write(sources);
		assertThat(page).contains("== @QueueListener\n", "|`concurrency` |`String` |8 |", "== @MyLock\n",
				"|`leaseTime` |`long` |`-1` |", "== @RecurringMessage\n");
		compare("look-up-annotations.adoc", page);
	}

	@Test
	void thePageOfPropertiesIsThatOfTheCode() throws IOException {
		Map<String, PropertyPage.Property> properties = PropertyPage.properties(ROOT, sources);
		assertThat(properties).containsKeys("redelay.outbox.window", "redelay.modulith.enabled",
				"redelay.queue.queues.<name>.deduplication.key",
				"redelay.queue.topics.<name>.groups.<group>.filter.<header>.one-of", "redelay.embedded-redis.port");
		assertThat(properties.get("redelay.queue.queues.<name>.overflow"))
			.isEqualTo(new PropertyPage.Property("`refuse`, `drop-oldest`", "`refuse`",
					properties.get("redelay.queue.queues.<name>.overflow").meaning()));
		assertThat(properties).allSatisfy((name, property) -> {
			assertThat(property.type()).as(name).isNotBlank();
			assertThat(property.meaning()).as(name).isNotBlank();
		});
		compare("look-up-properties.adoc", PropertyPage.write(properties));
	}

	@Test
	void theChapterOnTheConfigurationNamesAllProperties() throws IOException {
		String chapter = Files.readString(Path.of("src/docs/asciidoc/configuration.adoc"));
		assertThat(PropertyPage.properties(ROOT, sources).keySet())
			.filteredOn((name) -> name.startsWith("redelay.") && !name.contains("<"))
			.hasSizeGreaterThan(90)
			.allSatisfy((name) -> assertThat(chapter).contains("\n|`" + name + "` |"));
	}

	@Test
	void thePageOfExceptionsIsThatOfTheCode() throws IOException {
		String page = ExceptionPage.write(sources);
		assertThat(page).contains("|`QueueFullException` of `io.redelay.queue` |`MessageSendException` |",
				"|`CONVERSION_FAILED` |", "|`LockNotAcquiredException` of `io.redelay.lock` |");
		compare("look-up-exceptions.adoc", page);
	}

	@Test
	void thePageOfLogLinesIsThatOfTheCode() throws IOException {
		List<LogLine> lines = LogLine.all(ROOT);
		assertThat(lines).hasSizeGreaterThan(100)
			.contains(new LogLine("INFO", "Redis is back after …, … listener(s) claiming",
					"io.redelay.queue.wire.RedisAvailability"))
			.allSatisfy((line) -> assertThat(LogPage.remedy(line)).as("what to do about '%s'; add it to LogPage", line)
				.isNotBlank());
		compare("look-up-log-lines.adoc", LogPage.write(lines));
	}

	@Test
	void theChapterOnEndpointsNamesEachOperation() throws IOException {
		Path actuator = ROOT.resolve("actuator/src/main/java/io/redelay/queue/actuate");
		String code = Files.readString(actuator.resolve("QueueWrites.java"))
				+ Files.readString(actuator.resolve("QueuesWebExtension.java"));
		String chapter = Files.readString(Path.of("src/docs/asciidoc/endpoints.adoc"));
		assertThat(Pattern.compile("case \"([\\w-]+)\" ->").matcher(code).results().map((path) -> path.group(1)))
			// The name of a DELETE in the code.
			.filteredOn((path) -> !path.equals("remove"))
			.hasSizeGreaterThan(20)
			.allSatisfy((path) -> assertThat(chapter).containsPattern("[`/]" + path + "[`/]"));
	}

	private static void compare(String name, String made) throws IOException {
		Path page = Path.of("src/docs/asciidoc", name);
		if (Boolean.getBoolean("redelay.look-up.write")) {
			Files.writeString(page, made);
		}
		assertThat(page).as("make it anew as the Javadoc of %s describes", LookUpTests.class.getSimpleName())
			.hasContent(made);
	}

}
