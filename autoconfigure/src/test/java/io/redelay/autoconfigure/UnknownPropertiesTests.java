package io.redelay.autoconfigure;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.redelay.test.CapturedLog;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.ByteArrayResource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link UnknownProperties}.
 */
class UnknownPropertiesTests {

	@ParameterizedTest
	@CsvSource({ "redelay.queue.listner.concurrency, redelay.queue.listener.concurrency",
			"redelay.queue.listener.concurency, redelay.queue.listener.concurrency",
			"redelay.queue.enabeld, redelay.queue.enabled", "redelay.lock.enable, redelay.lock.enabled",
			"redelay.queue.concurrency, redelay.queue.listener.concurrency",
			"redelay.queue.max-attempts, redelay.queue.listener.max-attempts",
			"redelay.queue.default-queue, redelay.queue.send.default-queue",
			"redelay.queue.queue.orders.concurrency, redelay.queue.queues.orders.concurrency",
			"redelay.queues.orders.max-attempts, redelay.queue.queues.orders.max-attempts",
			"redelay.queue.queues.orders.listener.concurrency, redelay.queue.queues.orders.concurrency",
			"redelay.queue.queues[the.queue].concurency, redelay.queue.queues[the.queue].concurrency",
			"redelay.queue.queues.orders.dead-letters.maxcounts, redelay.queue.queues.orders.dead-letters.max-count",
			"redelay.queue.topics.events.group.eu.filter.region.equal-to, redelay.queue.topics.events.groups.eu.filter.region.equal-to",
			"redelay.queue.recurring.report.crn, redelay.queue.recurring.report.cron",
			"redelay.embedded-redis.prot, redelay.embedded-redis.port" })
	void theNearestPropertyIsNamed(String name, String nearest) {
		assertThat(warnings(new MapPropertySource("test", Map.of(name, "1")))).singleElement()
			.isEqualTo("Nothing reads '" + name + "' (\"" + name + "\" from property source \"test\"), as Redelay has"
					+ " no such property. Did you mean '" + nearest + "'?");
	}

	@Test
	void thePlaceInAFileIsNamed() throws IOException {
		PropertySource<?> file = new YamlPropertySourceLoader().load("application.yaml", new ByteArrayResource("""
				redelay:
				  queue:
				    listner:
				      concurrency: 4
				""".getBytes(StandardCharsets.UTF_8), "application.yaml")).get(0);
		assertThat(warnings(file)).singleElement()
			.asString()
			.startsWith(
					"Nothing reads 'redelay.queue.listner.concurrency' (Byte array resource [application.yaml] - 4:20)");
	}

	@Test
	void whatResemblesNothingGetsNoAdvice() {
		assertThat(warnings(new MapPropertySource("test", Map.of("redelay.colour", "red")))).singleElement()
			.asString()
			.endsWith("Remove it, or look for its name in the chapter Configuration of the guide");
	}

	@ParameterizedTest
	@ValueSource(strings = { "redelay.queue.listener.maxAttempts", "redelay.queue.listener.max_attempts",
			"redelay.queue.LISTENER.max-attempts", "redelay.queue.queues.orders.maxAttempts",
			"redelay.queue.queues[the.queue].max-attempts", "redelay.queue.queues.orders.dead-letters.redrive.cron",
			"redelay.queue.queues.orders.deduplication.key", "redelay.queue.queues.orders.inlet.enabled",
			"redelay.queue.mdc.keys", "redelay.queue.mdc.keys[0]", "redelay.lock.quorum.addresses[1]",
			"redelay.queue.limits.api.rate", "redelay.queue.topics.events.groups.eu.filter.region.equal-to",
			"redelay.queue.topics.events.retention.max-age", "redelay.queue.recurring.report.tags[0]",
			"redelay.queue.recurring.report.headers.the.tenant", "redelay.embedded-redis.port", "redelay.test.seed",
			"redelayed.queue.x", "other.redelay.x" })
	void allFormsOfAKnownNameAreKnown(String name) {
		assertThat(warnings(new MapPropertySource("test", Map.of(name, "1")))).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "REDELAY_QUEUE_LISTENER_MAXATTEMPTS", "REDELAY_QUEUE_LISTENER_MAX_ATTEMPTS",
			"redelay_queue_listener_max_attempts", "REDELAY_QUEUE_QUEUES_ORDERS_MAX_ATTEMPTS",
			"REDELAY_QUEUE_QUEUES_ORDERS_DEADLETTERS_MAXCOUNT", "REDELAY_QUEUE_MDC_KEYS_0",
			"REDELAY_EMBEDDED_REDIS_PORT", "REDELAY_SERVICE_HOST", "REDELAY_REDIS_SERVICE_PORT_HTTP",
			"REDELAY_REDIS_PORT", "REDELAY_REDIS_PORT_6379_TCP_ADDR", "REDELAY_REDIS_PORT_6379_SCTP_PORT",
			"REDELAY_SERVICE_PORT_8080", "REDELAY_SERVICE_PORT_8080_PORT", "REDELAY_HOME", "REDELAY_VERSION",
			"REDELAYED_X" })
	void variablesAreKnown(String name) {
		assertThat(warnings(variables(name))).isEmpty();
	}

	@Test
	void anUnknownVariableIsReported() {
		assertThat(warnings(variables("REDELAY_QUEUE_LISTENER_MAX_ATEMPTS"))).singleElement()
			.asString()
			.contains("\"REDELAY_QUEUE_LISTENER_MAX_ATEMPTS\"")
			.endsWith("Did you mean 'redelay.queue.listener.max-attempts'?");
	}

	@Test
	void underscoresAreDashesInVariablesOnly() {
		assertThat(warnings(new MapPropertySource("test", Map.of("redelay.queue.listener.max.attempts", "1"))))
			.hasSize(1);
	}

	@Test
	void eachPropertyOfTheGuideIsKnown() throws IOException {
		Matcher row = Pattern.compile("(?m)^\\|`\\+?(redelay\\.[a-z0-9.<>-]+)")
			.matcher(Files.readString(Path.of("../docs/src/docs/asciidoc/configuration.adoc")));
		Map<String, Object> properties = new LinkedHashMap<>();
		while (row.find()) {
			properties.put(row.group(1).replaceAll("<[^>]+>", "x"), "warn");
		}
		properties.keySet()
			.removeIf((name) -> name.startsWith("redelay.outbox.") || name.startsWith("redelay.modulith"));
		assertThat(properties).hasSizeGreaterThan(80);
		assertThat(warnings(new MapPropertySource("test", properties))).isEmpty();
	}

	@Test
	void anEmptyGroupIsNoProperty() {
		assertThat(warnings(new MapPropertySource("test", Map.of("redelay.queue.queues.orders", "")))).isEmpty();
	}

	@Test
	void manyAreCounted() {
		Map<String, Object> properties = new LinkedHashMap<>();
		for (int i = 0; i < 27; i++) {
			properties.put("redelay.mine.number" + i, "1");
		}
		assertThat(warnings(new MapPropertySource("test", properties))).hasSize(UnknownProperties.MOST + 1)
			.last()
			.isEqualTo("7 more properties of 'redelay' do not exist either");
	}

	@Test
	void itMayBeSwitchedOff() {
		assertThat(warnings(new MapPropertySource("test",
				Map.of("redelay.queue.enabeld", "1", "redelay.guard.unknown-properties", "off"))))
			.isEmpty();
	}

	@Test
	void noNamesAreReadWhereNothingIsSet() {
		List<String> read = new ArrayList<>();
		ClassLoader loader = new ClassLoader(getClass().getClassLoader()) {

			@Override
			public Enumeration<URL> getResources(String name) throws IOException {
				read.add(name);
				return super.getResources(name);
			}

		};
		assertThat(warnings(new MapPropertySource("test", Map.of("other", "1")), loader)).isEmpty();
		assertThat(read).isEmpty();
		assertThat(warnings(new MapPropertySource("test", Map.of("redelay.queue.enabled", "1")), loader)).isEmpty();
		assertThat(read).hasSize(1);
	}

	@Test
	void propertiesOfTheApplicationAreKnownWhereverTheyStand(@TempDir Path folder) throws IOException {
		write(folder, "app.name", "redelay.mine.colour");
		try (URLClassLoader loader = new URLClassLoader(new URL[] { folder.toUri().toURL() },
				getClass().getClassLoader())) {
			assertThat(warnings(
					new MapPropertySource("test", Map.of("redelay.mine.colour", "red", "redelay.mine.shade", "dark")),
					loader))
				.singleElement()
				.asString()
				.contains("'redelay.mine.shade'");
		}
	}

	@Test
	void nothingIsReportedWhereTheMetadataOfRedelayIsNotThere(@TempDir Path folder) throws IOException {
		write(folder, "redelay.outbox.enabled");
		try (URLClassLoader loader = new URLClassLoader(new URL[] { folder.toUri().toURL() }, null)) {
			assertThat(warnings(new MapPropertySource("test", Map.of("redelay.queue.enabled", "1")), loader)).isEmpty();
		}
	}

	private static void write(Path folder, String... names) throws IOException {
		String properties = Stream.of(names)
			.map((name) -> "{\"name\": \"" + name + "\", \"type\": \"java.lang.String\"}")
			.collect(Collectors.joining("," + " ".repeat(2000)));
		Files.writeString(
				Files.createDirectories(folder.resolve("META-INF")).resolve("spring-configuration-metadata.json"),
				"{\"properties\": [" + properties + "]}");
	}

	@Test
	@ExtendWith(CapturedLog.Extension.class)
	void itIsLoggedAtTheStart(CapturedLog log) {
		runner().withPropertyValues("redelay.lock.logged=true").run((context) -> assertThat(context).hasNotFailed());
		assertThat(log.entriesWith("'redelay.lock.logged'")).singleElement()
			.asString()
			.startsWith("WARN io.redelay.autoconfigure.UnknownProperties : Nothing reads");
	}

	@Test
	void theApplicationMayBeRefused() {
		runner().withPropertyValues("redelay.lock.enable=true", "redelay.guard.unknown-properties=fail")
			.run((context) -> {
				assertThat(context).getFailure().isInstanceOf(InvalidQueuePropertyException.class);
				FailureAnalysis analysis = new InvalidQueuePropertyFailureAnalyzer()
					.analyze(Objects.requireNonNull(context.getStartupFailure()));
				assertThat(analysis.getDescription()).contains("'redelay.lock.enable'", "mean 'redelay.lock.enabled'?");
				assertThat(analysis.getAction()).contains("set 'redelay.guard.unknown-properties' to warn");
			});
		runner().withPropertyValues("redelay.lock.enabled=true", "redelay.guard.unknown-properties=fail")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	private static ApplicationContextRunner runner() {
		return new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(GuardAutoConfiguration.class));
	}

	private static PropertySource<?> variables(String name) {
		return new SystemEnvironmentPropertySource(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
				Map.of(name, "1"));
	}

	private static List<String> warnings(PropertySource<?> source) {
		return warnings(source, Objects.requireNonNull(UnknownPropertiesTests.class.getClassLoader()));
	}

	private static List<String> warnings(PropertySource<?> source, @Nullable ClassLoader loader) {
		StandardEnvironment environment = new StandardEnvironment();
		environment.getPropertySources().forEach((each) -> environment.getPropertySources().remove(each.getName()));
		environment.getPropertySources().addFirst(source);
		return new UnknownProperties(environment).problems(loader);
	}

}
