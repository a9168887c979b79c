package io.redelay.autoconfigure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.annotation.Annotation;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.redelay.lock.MyLock;
import io.redelay.queue.Backoff;
import io.redelay.queue.HeaderFilter;
import io.redelay.queue.PayloadType;
import io.redelay.queue.QueueListener;
import io.redelay.queue.actuate.EndpointHints;
import io.redelay.queue.batch.BatchAcknowledgment;
import io.redelay.queue.listener.QueueHandler;
import io.redelay.queue.recurring.RecurringMessage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.annotation.ReflectiveRuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.core.ResolvableType;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.messaging.Message;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that a native image has a hint for all that is loaded by its name, read by
 * reflection or written as JSON. The places where that is done are found in the sources,
 * so that a new one fails until it stands here.
 */
class NativeHintsTests {

	private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

	private static final List<String> MODULES = List.of("support", "lock", "queue", "actuator", "autoconfigure",
			"outbox", "modulith", "embedded-redis");

	/**
	 * What opens a file of the class path; the tests below, and that of the outbox, look
	 * for these files.
	 */
	private static final Set<String> OPEN_FILES = Set.of("DashboardEndpoint", "LockScript", "LuaScripts",
			"OutboxMigrations", "RedisExecutable");

	/**
	 * What writes or reads JSON, and of which types it is; none if it is of maps, trees,
	 * or payloads, whose types are those of the application.
	 */
	private static final Map<String, List<String>> JSON = Map.ofEntries(
			Map.entry("BulkPlan", List.of("io.redelay.queue.admin.engine.bulk.BulkPlan")),
			Map.entry("BulkProgress", List.of("io.redelay.queue.admin.engine.bulk.BulkProgress")),
			Map.entry("BundleEnds", List.of()), Map.entry("EnvelopeCodec", List.of()),
			Map.entry("EventJson", List.of("io.redelay.queue.event.MessageEvent", "io.redelay.queue.event.QueueEvent")),
			Map.entry("HandlerAnswer", List.of("io.redelay.queue.admin.engine.instance.HandlerAnswer")),
			Map.entry("HandlerInquiry", List.of("io.redelay.queue.admin.engine.instance.HandlerQuestion")),
			Map.entry("HandlerQuestion", List.of("io.redelay.queue.admin.engine.instance.HandlerQuestion")),
			Map.entry("HandlerReporter", List.of("io.redelay.queue.admin.engine.instance.HandlerAnswer")),
			Map.entry("InletMessageReader", List.of()),
			Map.entry("InstanceDescription", List.of("io.redelay.queue.admin.engine.instance.InstanceDescription")),
			Map.entry("JsonPayloadConverter", List.of()), Map.entry("JsonPayloadMasker", List.of()),
			Map.entry("MessageMasking", List.of()),
			Map.entry("NextMessage", List.of("io.redelay.queue.message.NextMessage$Head")),
			Map.entry("OptionsReader", List.of()), Map.entry("PayloadArgumentResolver", List.of()),
			Map.entry("StoredRecurring", List.of("io.redelay.queue.recurring.engine.StoredRecurring")),
			Map.entry("TickMessages", List.of("io.redelay.queue.recurring.RecurringTick")));

	private final RuntimeHints hints = new RuntimeHints();

	NativeHintsTests() {
		SpringFactoriesLoader.forResourceLocation("META-INF/spring/aot.factories")
			.load(RuntimeHintsRegistrar.class)
			.stream()
			.filter((registrar) -> registrar.getClass().getName().startsWith("io.redelay."))
			.forEach((registrar) -> registrar.registerHints(this.hints, getClass().getClassLoader()));
		new EndpointHints().registerHints(this.hints, null);
	}

	@Test
	void eachScriptIsThere() throws IOException {
		Resource[] scripts = new PathMatchingResourcePatternResolver().getResources("classpath*:io/redelay/**/*.lua");
		assertThat(scripts).hasSizeGreaterThan(80)
			.allSatisfy((script) -> assertResource(
					script.getURL().toString().replaceFirst(".*/io/redelay/", "io/redelay/")));
	}

	@ParameterizedTest
	@ValueSource(strings = { "linux-amd64", "linux-arm64", "darwin-arm64" })
	void eachExecutableOfRedisIsThere(String platform) {
		assertResource("redis-server-7.0.15-" + platform);
	}

	private void assertResource(String name) {
		assertThat(RuntimeHintsPredicates.resource().forResource(name)).as(name).accepts(this.hints);
	}

	@Test
	void eachPlaceThatOpensAFileIsKnown() {
		assertThat(files("new ClassPathResource\\(|\\.getResource(AsStream)?\\(\""))
			.isEqualTo(new TreeSet<>(OPEN_FILES));
	}

	@Test
	void eachTypeThatIsLookedForByItsNameIsFound() {
		Set<String> types = matches(
				"(?<![\\w.])(?:ClassUtils\\s*\\.\\s*|Class\\s*\\.\\s*)?" + "(?:isPresent|forName)\\(\\s*\"([\\w.$]+)\"")
			.map((match) -> match.group(1))
			.collect(Collectors.toCollection(TreeSet::new));
		assertThat(types).hasSizeGreaterThan(4)
			// Asked only while the hints are made.
			.filteredOn((type) -> !type.equals("io.redelay.lock.LockInfo"))
			.allSatisfy((type) -> assertThat(
					RuntimeHintsPredicates.reflection().onType(ClassUtils.resolveClassName(type, null)))
				.as(type)
				.accepts(this.hints));
	}

	@Test
	void eachTypeThatIsWrittenOrReadAsJsonCanBe() {
		assertThat(files("\\.(readValue|writeValue\\w*|treeToValue|valueToTree|convertValue|readerFor|writerFor)\\("))
			.as("what writes or reads JSON: say here of which types it is")
			.isEqualTo(new TreeSet<>(JSON.keySet()));
		Set<Class<?>> records = new LinkedHashSet<>();
		JSON.values()
			.stream()
			.flatMap(List::stream)
			.forEach((name) -> addRecords(ResolvableType.forClass(ClassUtils.resolveClassName(name, null)), records));
		assertThat(records).hasSizeGreaterThan(15).allSatisfy((type) -> {
			assertThat(RuntimeHintsPredicates.reflection().onConstructorInvocation(type.getDeclaredConstructors()[0]))
				.as("new %s", type)
				.accepts(this.hints);
			for (RecordComponent component : type.getRecordComponents()) {
				assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(component.getAccessor()))
					.as("%s of %s", component.getName(), type)
					.accepts(this.hints);
			}
		});
	}

	private static void addRecords(ResolvableType type, Set<Class<?>> records) {
		Class<?> raw = type.toClass();
		if (raw.isRecord() && raw.getName().startsWith("io.redelay.") && records.add(raw)) {
			Arrays.stream(raw.getRecordComponents())
				.forEach((component) -> addRecords(ResolvableType.forType(component.getGenericType()), records));
		}
		Arrays.stream(type.getGenerics()).forEach((each) -> addRecords(each, records));
	}

	@Test
	void eachAnnotationCanBeRead() {
		assertThat(files("\\bsynthesize(Annotation)?\\(|::synthesize\\b|findMergedAnnotation\\("))
			.as("what reads annotations: say below which ones they are")
			.containsExactly("HandlingOptions", "ListenerDefinition", "MyLockReader", "PayloadTypeDeliveryHandler",
					"QueueListenerEndpoint", "QueueReceiverTemplate", "RepeatedAnnotations");
		List<Class<? extends Annotation>> read = List.of(PayloadType.class, Backoff.class, HeaderFilter.class,
				MyLock.class, QueueHandler.class, QueueListener.class, RecurringMessage.class);
		assertThat(read).allSatisfy((annotation) -> {
			assertThat(RuntimeHintsPredicates.proxies().forInterfaces(annotation)).accepts(this.hints);
			assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(annotation.getDeclaredMethods()[0]))
				.accepts(this.hints);
		});
	}

	@Test
	void listenersAndTheirPayloadsCanBeUsed() throws NoSuchMethodException {
		new ReflectiveRuntimeHintsRegistrar().registerRuntimeHints(this.hints, Listeners.class);
		for (String method : List.of("one", "message", "several", "tick")) {
			assertThat(
					Arrays.stream(Listeners.class.getDeclaredMethods()).filter((each) -> each.getName().equals(method)))
				.hasSize(1)
				.allSatisfy((each) -> assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(each))
					.accepts(this.hints));
		}
		for (Class<?> payload : List.of(One.class, Inner.class, Wrapped.class, Listed.class, Answer.class)) {
			assertThat(RuntimeHintsPredicates.reflection()
				.onMethodInvocation(payload.getRecordComponents()[0].getAccessor())).as("%s", payload)
				.accepts(this.hints);
		}
	}

	private static Set<String> files(String regex) {
		Pattern pattern = Pattern.compile(regex);
		return sources().filter((source) -> pattern.matcher(withoutComments(source)).find())
			.map((source) -> source.getFileName().toString().replace(".java", ""))
			.collect(Collectors.toCollection(TreeSet::new));
	}

	private static Stream<MatchResult> matches(String regex) {
		Pattern pattern = Pattern.compile(regex);
		return sources().flatMap((source) -> pattern.matcher(withoutComments(source)).results());
	}

	private static String withoutComments(Path source) {
		try {
			return Files.readString(source).replaceAll("(?s)/\\*.*?\\*/", "").replaceAll("(?m)^\\s*//.*$", "");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static Stream<Path> sources() {
		return MODULES.stream().flatMap((module) -> {
			try (Stream<Path> all = Files.walk(ROOT.resolve(module).resolve("src/main/java"))) {
				return all.filter((file) -> file.toString().endsWith(".java")).toList().stream();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		});
	}

	static class Listeners {

		@QueueListener("one")
		Answer one(One payload) {
			return new Answer("done");
		}

		@QueueListener("message")
		void message(Message<Wrapped> message) {
		}

		@QueueListener("several")
		void several(List<Listed> payloads, BatchAcknowledgment acknowledgment) {
		}

		@RecurringMessage(queue = "tick", every = "1h")
		One tick() {
			return new One(new Inner("tick"));
		}

	}

	record One(Inner inner) {

	}

	record Inner(String text) {

	}

	record Wrapped(String text) {

	}

	record Listed(String text) {

	}

	record Answer(String text) {

	}

}
