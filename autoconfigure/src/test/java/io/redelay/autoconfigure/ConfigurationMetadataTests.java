package io.redelay.autoconfigure;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import io.redelay.queue.QueueListener;
import io.redelay.queue.config.QueueListenerEndpointRegistry;
import io.redelay.queue.handle.ContainerSettings;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.RecurringStore;
import io.redelay.test.AbsentRecurringStore;
import io.redelay.test.IdleStore;
import org.junit.jupiter.api.Test;
import org.redisson.api.RedissonClient;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * Tests for the metadata that an editor shows for {@code redelay.*}.
 */
class ConfigurationMetadataTests {

	/**
	 * Without a value, these mean something that cannot be written as one.
	 */
	private static final Set<String> WITHOUT_DEFAULT = Set.of("redelay.embedded-redis.directory",
			"redelay.events.listener-idle-after", "redelay.queue.forget-after", "redelay.lock.quorum.addresses",
			"redelay.queue.send.default-queue", "redelay.queue.instance-name", "redelay.queue.listener.backoff.bean",
			"redelay.queue.listener.error-handler", "redelay.queue.listener.filter",
			"redelay.queue.listener.idempotency-key", "redelay.queue.listener.rate-limit",
			"redelay.queue.listener.max-in-flight", "redelay.queue.listener.key-rate-limit",
			"redelay.queue.listener.key-max-in-flight", "redelay.queue.listener.shared-limit",
			"redelay.queue.dead-letters.max-bytes", "redelay.queue.dead-letters.redrive.cron",
			"redelay.queue.dead-letters.redrive.delay", "redelay.queue.dead-letters.redrive.zone",
			"redelay.queue.limits", "redelay.queue.listener.max-handling-time", "redelay.queue.listener.prefetch",
			"redelay.queue.mdc.keys", "redelay.queue.queues", "redelay.queue.recurring",
			"redelay.queue.send.max-waiting-size", "redelay.queue.shutdown-timeout", "redelay.queue.topics",
			"redelay.test.redis-server");

	@Test
	void everyPropertyIsDescribed() throws IOException {
		List<JsonNode> properties = all("properties");
		assertThat(properties).hasSizeGreaterThan(20)
			.allSatisfy((property) -> assertThat(property.path("description").asString("")).as(name(property))
				.endsWith(".")
				.doesNotContain("{@"));
	}

	@Test
	void everyPropertyHasADefaultOrIsKnownToHaveNone() throws IOException {
		assertThat(all("properties").stream()
			.filter((property) -> property.path("defaultValue").isMissingNode())
			.map(ConfigurationMetadataTests::name))
			.as("properties without a default; give it with @DefaultValue, or in "
					+ "additional-spring-configuration-metadata.json if the code must distinguish whether a value was set")
			.containsExactlyInAnyOrderElementsOf(WITHOUT_DEFAULT);
	}

	@Test
	void theDefaultsOfListenersAreWhatListenersHaveByDefault() throws IOException {
		String[] defaults = all("properties").stream()
			.filter((property) -> name(property).startsWith("redelay.queue.listener."))
			.filter((property) -> property.has("defaultValue"))
			.map((property) -> name(property) + "=" + property.get("defaultValue").asString())
			.toArray(String[]::new);
		assertThat(defaults).contains("redelay.queue.listener.max-attempts=5");
		assertThat(settings(defaults)).isEqualTo(settings());
		assertThat(settings("redelay.queue.listener.max-attempts=6")).isNotEqualTo(settings());
	}

	@Test
	void whatIsProposedCanBeSet() throws IOException {
		List<String> names = all("properties").stream().map(ConfigurationMetadataTests::name).toList();
		List<JsonNode> hints = all("hints");
		assertThat(hints).extracting(ConfigurationMetadataTests::name)
			.isSubsetOf(names)
			.contains("redelay.queue.listener.error-handler", "redelay.embedded-redis.port");
		for (JsonNode hint : hints) {
			for (JsonNode value : hint.path("values")) {
				assertThat(settings(name(hint) + "=" + value.get("value").asString())).hasSize(2);
				assertThat(value.get("description").asString()).endsWith(".");
			}
		}
	}

	@Test
	void beansThatAreProposedAreOfATypeThatIsThere() throws IOException {
		assertThat(all("hints").stream()
			.flatMap((hint) -> hint.path("providers").valueStream())
			.map((provider) -> provider.path("parameters").path("target").asString(""))
			.filter((target) -> !target.isEmpty())).isNotEmpty()
			.allMatch((target) -> ClassUtils.isPresent(target, null));
	}

	private static List<ContainerSettings> settings(String... properties) {
		AtomicReference<List<ContainerSettings>> settings = new AtomicReference<>();
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(QueueAutoConfiguration.class))
			.withBean(RedissonClient.class, () -> mock(RedissonClient.class))
			.withBean(QueueScripts.class, () -> new IdleStore().scripts())
			.withBean(RecurringStore.class, AbsentRecurringStore::new)
			.withBean(AdminScripts.class, IdleStore::admin)
			.withBean(Listener.class)
			.withPropertyValues("redelay.queue.mdc.enabled=false")
			.withPropertyValues(properties)
			.run((context) -> settings.set(Stream.of("single", "batch")
				.map((id) -> context.getBean(QueueListenerEndpointRegistry.class).getContainer(id).getSettings())
				.toList()));
		return settings.get();
	}

	private static String name(JsonNode item) {
		return item.get("name").asString();
	}

	/**
	 * What the metadata of all modules has of a kind.
	 */
	private static List<JsonNode> all(String kind) throws IOException {
		List<JsonNode> items = new ArrayList<>();
		for (URL resource : Collections.list(ConfigurationMetadataTests.class.getClassLoader()
			.getResources("META-INF/spring-configuration-metadata.json"))) {
			try (InputStream in = resource.openStream()) {
				JsonMapper.shared().readTree(in).path(kind).forEach((item) -> {
					if (name(item).startsWith("redelay.")) {
						items.add(item);
					}
				});
			}
		}
		return items;
	}

	static class Listener {

		@QueueListener(value = "letters", id = "single")
		void handle(String letter) {
		}

		@QueueListener(value = "clicks", id = "batch")
		void handle(List<String> clicks) {
		}

	}

}
