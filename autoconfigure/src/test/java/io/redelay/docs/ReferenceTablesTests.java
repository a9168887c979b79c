package io.redelay.docs;

import java.io.IOException;
import java.io.InputStream;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.redelay.autoconfigure.NamedQueueProperties;
import io.redelay.autoconfigure.QueueDeadLettersProperties;
import io.redelay.autoconfigure.QueueListenerProperties;
import io.redelay.autoconfigure.QueueRedriveProperties;
import io.redelay.autoconfigure.SharedLimitProperties;
import io.redelay.autoconfigure.SingleQueueProperties;
import io.redelay.autoconfigure.TopicProperties;
import io.redelay.queue.Backoff;
import io.redelay.queue.DeathReason;
import io.redelay.queue.QueueListener;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.io.FileSystemResource;
import org.springframework.util.unit.DataSize;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The tables of the guide name what there is, all of it, and with its default.
 */
class ReferenceTablesTests {

	private static final Path GUIDE = Path.of("..", "docs", "src", "docs", "asciidoc");

	/**
	 * A row that begins with a name in quotes: the name, and what its second column says.
	 */
	private static final Pattern ROW = Pattern.compile("(?m)^\\|`([^`]+)`((?:, `[^`]+`)*) \\|([^|]*)");

	@Test
	void theConfigurationHasAllPropertiesAndNoOthers() throws IOException {
		Set<String> rows = rows("configuration.adoc").keySet();
		// LookUpTests looks at these, whose modules are not here.
		rows.removeIf((name) -> name.matches("redelay\\.(outbox|modulith)\\..*"));
		assertThat(rows).containsExactlyInAnyOrderElementsOf(properties().keySet());
	}

	/**
	 * The page is made from the sources, and the metadata from what is compiled.
	 */
	@Test
	void theListOfPropertiesAgreesWithTheMetadata() throws IOException {
		Map<String, String> rows = new TreeMap<>();
		Pattern.compile("(?m)^\\|`\\+([^+]+)\\+` \\|.*? \\|(.*?) \\|")
			.matcher(Files.readString(GUIDE.resolve("look-up-properties.adoc")))
			.results()
			.forEach((row) -> rows.put(row.group(1), row.group(2)));
		Set<String> maps = Set.of("redelay.queue.queues", "redelay.queue.topics", "redelay.queue.limits",
				"redelay.queue.recurring");
		properties().forEach((name, value) -> {
			if (!maps.contains(name)) {
				assertThat(rows).as(name).containsKey(name);
				String shown = value.replaceAll("^\\[|]$", "").replace(", ", "`, `");
				if (!shown.isEmpty()) {
					assertThat(rows.get(name)).as(name).isEqualTo("`" + shown + "`");
				}
			}
		});
	}

	@Test
	void theConfigurationHasTheDefaults() throws IOException {
		Map<String, String> rows = rows("configuration.adoc");
		properties().forEach((name, value) -> {
			if (!value.isEmpty()) {
				String shown = value.replaceAll("^\\[|]$", "").replace(", ", "`, `");
				assertThat(rows.get(name)).as(name).isEqualToNormalizingWhitespace("`" + shown + "`");
			}
		});
	}

	@Test
	void theChapterOnListeningHasAllAttributes() throws IOException {
		assertThat(rows("listening.adoc")).containsKeys(attributes(QueueListener.class))
			.containsKeys(attributes(Backoff.class));
	}

	@Test
	void theExampleOfTheConfigurationIsRead() throws IOException {
		NamedQueueProperties properties = read("queues.yaml");
		assertThat(bind("queues.yaml", "redelay.queue.listener", QueueListenerProperties.Handling.class).maxAttempts())
			.isEqualTo(10);
		assertThat(properties.queues()).containsOnlyKeys("receipts", "payments_eu.cards");
		assertThat(properties.queues().get("receipts").listener().handling().backoff().initialInterval())
			.isEqualTo(Duration.ofSeconds(10));
		assertThat(properties.queues().get("payments_eu.cards").listener().handling().maxAttempts()).isEqualTo(3);
	}

	@Test
	void theExampleOfTheDeadLettersIsRead() throws IOException {
		NamedQueueProperties properties = read("dead-letters.yaml");
		assertThat(properties.deadLetters()).isEqualTo(new QueueDeadLettersProperties(1000, Duration.ofDays(7),
				DataSize.ofMegabytes(50), new QueueRedriveProperties(null, null, null, null, null, null)));
		assertThat(properties.queues().get("receipts").deadLetters().maxCount()).isEqualTo(50_000);
		assertThat(properties.queues().get("receipts").deadLetters().maxAge()).isNull();
	}

	@Test
	void theExampleOfTheRulesOfDeadLettersIsRead() throws IOException {
		NamedQueueProperties properties = read("redrive.yaml");
		assertThat(properties.deadLetters().redrive())
			.isEqualTo(new QueueRedriveProperties(Duration.ofMinutes(30), null, null, 3, "10/1s", null));
		assertThat(properties.queues().get("invoices").deadLetters().redrive()).isEqualTo(new QueueRedriveProperties(
				null, "0 0 3 * * *", "Europe/Berlin", null, null, Set.of(DeathReason.FAILED, DeathReason.REJECTED)));
		assertThat(properties.queues().get("newsletters").deadLetters().redrive().cron()).isEqualTo("-");
	}

	@Test
	void theExampleOfTheRetentionIsRead() throws IOException {
		assertThat(read("retention.yaml").queues().get("orders").completed()).isEqualTo(
				new SingleQueueProperties.Completed(Duration.ofDays(2), 50_000L, DataSize.ofMegabytes(100), true));
	}

	@Test
	void theExampleOfTheLengthLimitIsRead() throws IOException {
		SingleQueueProperties clicks = read("length-limit.yaml").queues().get("clicks");
		assertThat(clicks.storage().maxLength()).isEqualTo(100_000);
		assertThat(clicks.storage().overflow()).isEqualTo(SingleQueueProperties.Overflow.DROP_OLDEST);
	}

	@Test
	void theExampleOfTheKeysIsRead() throws IOException {
		Map<String, SingleQueueProperties> queues = read("ordering.yaml").queues();
		assertThat(queues.get("order-events").keys().orderingKey()).isEqualTo("#{payload.customerId}");
		assertThat(queues.get("order-events").keys().deadHoldsKey()).isTrue();
		assertThat(queues.get("exports").keys().fairnessKey()).isEqualTo("#{headers['tenant']}");
		assertThat(queues.get("exports").keys().fairnessWeight()).isEqualTo("#{payload.premium ? 5 : 1}");
		assertThat(queues.get("exports").keys().priority()).isEqualTo("#{payload.urgent ? 8 : 4}");
		assertThat(queues.get("exports").keys().priorityAgeing()).isEqualTo(Duration.ofMinutes(10));
	}

	@Test
	void theExampleOfTheSharedLimitIsRead() throws IOException {
		NamedQueueProperties properties = read("limits.yaml");
		assertThat(properties.limits()).containsEntry("bank", new SharedLimitProperties("50/1s", 10));
		assertThat(properties.queues().get("refunds").listener().limits().sharedLimit()).isEqualTo("bank");
	}

	@Test
	void theExampleOfTheTopicsIsRead() throws IOException {
		NamedQueueProperties properties = read("topics.yaml");
		TopicProperties topic = properties.topics().get("order-events");
		assertThat(topic.groupExpiry()).isEqualTo(Duration.ofDays(30));
		assertThat(topic.instanceGroupExpiry()).isEqualTo(Duration.ofMinutes(1));
		assertThat(topic.retention().maxAge()).isEqualTo(Duration.ofDays(7));
		assertThat(topic.retention().maxBytes()).isEqualTo(DataSize.ofMegabytes(100));
		assertThat(properties.queues().get("order-events@analytics").storage().maxLength()).isEqualTo(100_000);
	}

	@Test
	void theExampleOfTheGroupFilterIsRead() throws IOException {
		TopicProperties.Group group = read("group-filter.yaml").topics().get("order-events").groups().get("europe");
		assertThat(group.filter().get("region").oneOf()).containsExactly("EU", "UK");
		assertThat(group.filter().get("source").prefix()).isEqualTo("web");
		assertThat(group.filter().get("test").exists()).isFalse();
	}

	private static NamedQueueProperties read(String example) throws IOException {
		return bind(example, "redelay.queue", NamedQueueProperties.class);
	}

	private static <T> T bind(String example, String prefix, Class<T> type) throws IOException {
		Iterable<ConfigurationPropertySource> sources = ConfigurationPropertySources.from(new YamlPropertySourceLoader()
			.load("example", new FileSystemResource("src/test/java/io/redelay/docs/" + example)));
		return new Binder(sources).bind(prefix, type).get();
	}

	private static String[] attributes(Class<? extends Annotation> annotation) {
		return Arrays.stream(annotation.getDeclaredMethods()).map(Method::getName).toArray(String[]::new);
	}

	private static Map<String, String> rows(String chapter) throws IOException {
		Map<String, String> rows = new TreeMap<>();
		Matcher row = ROW.matcher(Files.readString(GUIDE.resolve(chapter)));
		while (row.find()) {
			Stream.concat(Stream.of(row.group(1)), Stream.of(row.group(2).split("[, `]+")))
				.filter((name) -> !name.isEmpty())
				.forEach((name) -> rows.put(name, row.group(3).strip()));
		}
		return rows;
	}

	/**
	 * The properties of all modules, with their defaults as far as the metadata has them.
	 */
	private static Map<String, String> properties() throws IOException {
		Map<String, String> properties = new TreeMap<>();
		List<URL> metadata = new ArrayList<>(Collections.list(ReferenceTablesTests.class.getClassLoader()
			.getResources("META-INF/spring-configuration-metadata.json")));
		for (URL each : metadata) {
			try (InputStream in = each.openStream()) {
				for (JsonNode property : JsonMapper.shared().readTree(in).path("properties")) {
					String name = property.path("name").stringValue();
					if (name.startsWith("redelay.")) {
						properties.put(name, property.path("defaultValue").asString(""));
					}
				}
			}
		}
		return properties;
	}

}
