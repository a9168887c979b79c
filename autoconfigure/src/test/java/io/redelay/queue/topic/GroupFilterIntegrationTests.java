package io.redelay.queue.topic;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.redelay.queue.Deduplication;
import io.redelay.queue.GroupFilter;
import io.redelay.queue.HeaderFilter;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.PublishResult;
import io.redelay.queue.QueueListener;
import io.redelay.queue.SendOutcome;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.TopicGroupInfo;
import io.redelay.queue.listener.ListenerDefinition;
import io.redelay.queue.listener.QueueListeners;
import io.redelay.queue.message.DeclaredFilter;
import io.redelay.queue.script.QueueScripts;
import io.redelay.test.CapturedLog;
import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Tests of groups that get copies only of messages with certain headers.
 */
class GroupFilterIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String topic = TestRedis.queue();

	private ListenerApplication.Builder application() {
		return ListenerApplication.on(redis).with("topic", this.topic);
	}

	private OutboundMessage message(String payload, String region) {
		return OutboundMessage.to(this.topic, payload).header("region", region);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aGroupGetsCopiesOfWhatItsFilterWantsAndOfNothingElse() {
		Regions listeners = new Regions();
		try (ListenerApplication application = application().bean(listeners).start()) {
			PublishResult result = application.queues().publish(message("one", "EU"));
			assertThat(result.groups()).containsOnlyKeys("all", "europe", "some");
			assertThat(result.leftOut()).containsExactly("without");
			result = application.queues().publish(message("two", "US"));
			assertThat(result.groups()).containsOnlyKeys("all");
			assertThat(result.leftOut()).containsExactly("europe", "some", "without");
			application.queues().publish(message("three", "DE").header("level", 5));
			application.queues().publish(OutboundMessage.to(this.topic, "four").header("level", 5));
			application.queues().publish(message("five", "EU").header("level", 51).delay(Duration.ofMillis(10)));
			Awaitility.await().until(() -> listeners.all.size() == 5);
			Awaitility.await()
				.untilAsserted(() -> assertThat(listeners.europe).containsExactlyInAnyOrder("one", "three", "five"));
			Awaitility.await().untilAsserted(() -> assertThat(listeners.some).containsExactlyInAnyOrder("one", "five"));
			Awaitility.await().untilAsserted(() -> assertThat(listeners.without).containsExactly("four"));
			assertThat(group(application, "europe").filter()).isEqualTo(GroupFilter.NONE.oneOf("region", "EU", "DE"));
			assertThat(group(application, "some").filter().toString())
				.isEqualTo("region begins with E and region exists");
		}
	}

	/**
	 * What many threads publish at once goes in requests of many messages, of which each
	 * group wants others.
	 */
	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void messagesThatGoTogetherAreDistinguished() {
		Regions listeners = new Regions();
		try (ListenerApplication application = application().bean(listeners).start()) {
			List<CompletableFuture<PublishResult>> results = new ArrayList<>();
			Set<String> european = new HashSet<>();
			for (int i = 0; i < 300; i++) {
				String region = List.of("EU", "US", "DE").get(i % 3);
				OutboundMessage message = message("m" + i, region)
					.deduplicate(Deduplication.firstWins("key" + i, Duration.ofMinutes(1)));
				results.add(application.queues()
					.publishAsync((i % 2 == 0) ? message : message("m" + i, region).id("id" + i)));
				if (i % 3 != 1) {
					european.add("m" + i);
				}
			}
			for (int i = 0; i < results.size(); i++) {
				PublishResult result = results.get(i).join();
				assertThat(result.leftOut().contains("europe")).as("message " + i).isEqualTo(i % 3 == 1);
				assertThat(result.groups().containsKey("europe")).isEqualTo(i % 3 != 1);
				assertThat(result.groups()).containsKey("all");
			}
			PublishResult again = application.queues()
				.publish(message("again", "EU").deduplicate(Deduplication.firstWins("key0", Duration.ofMinutes(1))));
			assertThat(again.groups().get("europe").outcome()).isEqualTo(SendOutcome.DUPLICATE);
			Awaitility.await().untilAsserted(() -> assertThat(listeners.europe).containsAll(european));
			assertThat(listeners.europe).isSubsetOf(european);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	@ExtendWith(CapturedLog.Extension.class)
	void theFilterThatAnotherInstanceDeclaredAMomentAgoHolds(CapturedLog log) {
		try (ListenerApplication publisher = application().start()) {
			publisher.queues().publish(message("to nobody", "US"));
			Regions first = new Regions();
			String expiry = "redelay.queue.topics." + this.topic + ".group-expiry";
			try (ListenerApplication listener = application().with(expiry, "9s").bean(first).start()) {
				assertThat(publisher.queues().publish(message("one", "US")).leftOut()).contains("europe");
				Changed changed = new Changed();
				try (ListenerApplication second = application().with(expiry, "9s").bean(changed).start()) {
					PublishResult result = publisher.queues().publish(message("two", "US"));
					assertThat(result.groups()).containsKey("europe");
					assertThat(publisher.queues().publish(message("three", "EU")).leftOut()).contains("europe");
					Awaitility.await().until(() -> first.europe.contains("two") || changed.europe.contains("two"));
					// What says that it is there puts back no older filter.
					Awaitility.await()
						.untilAsserted(
								() -> assertThat(log.entriesWith(this.topic, "takes messages with 'region = US', as",
										"not messages with 'region one of [EU, DE]'"))
									.hasSize(1));
					assertThat(log.entriesWith(this.topic, "takes messages with 'region = US' from now on",
							"no longer messages with 'region one of [EU, DE]'"))
						.hasSize(1);
					assertThat(group(publisher, "europe").filter()).isEqualTo(GroupFilter.NONE.equalTo("region", "US"));
				}
			}
			assertThat(publisher.queues().publish(message("four", "EU")).leftOut()).contains("europe");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aPropertyGoesBeforeTheAnnotation() {
		Regions listeners = new Regions();
		String filter = "redelay.queue.topics." + this.topic + ".groups.europe.filter.";
		try (ListenerApplication application = application().with(filter + "level.equal-to", "5")
			.with(filter + "region.one-of[0]", "US")
			.with(filter + "region.one-of[1]", "CA")
			.bean(listeners)
			.start()) {
			application.queues().publish(message("no", "EU").header("level", 5));
			application.queues().publish(message("no", "US").header("level", 6));
			application.queues().publish(message("yes", "CA").header("level", 5));
			Awaitility.await().untilAsserted(() -> assertThat(listeners.europe).containsExactly("yes"));
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aReplayGivesAGroupWhatItsFilterWants() {
		try (ListenerApplication application = application()
			.with("redelay.queue.topics." + this.topic + ".retention.max-age", "1h")
			.start()) {
			for (int i = 0; i < 1200; i++) {
				application.queues().publishAsync(message("m" + i, (i % 3 == 0) ? "EU" : "US"));
			}
			application.queues().publish(message("last", "EU"));
			List<String> europe = new CopyOnWriteArrayList<>();
			List<String> all = new CopyOnWriteArrayList<>();
			QueueListeners listeners = application.bean(QueueListeners.class);
			listeners.register(definition("europe").groupFilter(GroupFilter.NONE.oneOf("region", "EU", "x, y"))
				.handler(String.class, europe::add));
			listeners.register(definition("all").handler(String.class, all::add));
			QueueAdmin admin = application.bean(QueueAdmin.class);
			assertThat(admin.topics().replay(this.topic, "europe", Instant.EPOCH)).isEqualTo(401);
			assertThat(admin.topics().replay(this.topic, "all", Instant.EPOCH)).isEqualTo(1201);
			Awaitility.await().until(() -> europe.size() == 401 && all.size() == 1201);
			assertThat(europe).contains("m0", "m1197", "last").doesNotContain("m1");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void longPayloadsAreFilteredKeptAndGivenAgain() {
		try (ListenerApplication application = application()
			.with("redelay.queue.topics." + this.topic + ".retention.max-age", "1h")
			.start()) {
			List<String> texts = new CopyOnWriteArrayList<>();
			List<String> later = new CopyOnWriteArrayList<>();
			QueueListeners listeners = application.bean(QueueListeners.class);
			listeners.register(definition("texts").groupFilter(GroupFilter.NONE.exists("region", false))
				.handler(String.class, texts::add));
			List<String> payloads = IntStream.range(0, 20).mapToObj((i) -> i + "x".repeat(600)).toList();
			payloads.forEach((payload) -> application.queues().publishAsync(this.topic, payload));
			application.queues().publish(message("y".repeat(600), "EU"));
			Awaitility.await().untilAsserted(() -> assertThat(texts).containsExactlyInAnyOrderElementsOf(payloads));
			listeners.register(definition("later").handler(String.class, later::add));
			assertThat(application.bean(QueueAdmin.class).topics().replay(this.topic, "later", Instant.EPOCH))
				.isEqualTo(21);
			Awaitility.await().untilAsserted(() -> assertThat(later).hasSize(21).containsAll(payloads));
		}
	}

	private ListenerDefinition definition(String group) {
		return ListenerDefinition.of(group).attribute("topic", this.topic).attribute("group", group);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aFullGroupRefusesOnlyWhatItWants() {
		try (ListenerApplication application = application()
			.with("redelay.queue.queues[" + this.topic + "@small].max-length", "1")
			.start()) {
			application.bean(QueueScripts.class)
				.topics()
				.subscribe()
				.run(this.topic, "small", Duration.ZERO, DeclaredFilter.now(GroupFilter.NONE.exists("region", true)))
				.join();
			application.queues().publish(message("fills", "EU"));
			assertThat(application.queues().publish(OutboundMessage.to(this.topic, "passes")).leftOut())
				.containsExactly("small");
			assertThatThrownBy(() -> application.queues().publish(message("too many", "EU")))
				.hasMessageContaining("small");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatIsLeftOutIsCounted() {
		MeterRegistry registry = new SimpleMeterRegistry();
		try (ListenerApplication application = application().bean(registry).bean(new Regions()).start()) {
			application.queues().publish(message("one", "US"));
			application.queues().publish(message("two", "EU"));
			Map<String, Double> counts = new TreeMap<>();
			registry.find("redelay.queue.left.out")
				.counters()
				.forEach(
						(counter) -> counts.put(counter.getId().getTag("messaging.destination.name"), counter.count()));
			assertThat(counts).containsEntry(this.topic + "@europe", 1.0)
				.containsEntry(this.topic + "@without", 2.0)
				.doesNotContainKey(this.topic + "@all");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void twoListenersOfAGroupWithDifferentFiltersAreRefused() {
		assertThatThrownBy(() -> application().bean(new Regions()).bean(new Changed()).start())
			.hasStackTraceContaining("groupFilter")
			.hasStackTraceContaining("region one of [EU, DE]")
			.hasStackTraceContaining("Give all listeners of a group the same filter");
	}

	private TopicGroupInfo group(ListenerApplication application, String name) {
		return application.bean(QueueAdmin.class)
			.topics()
			.info(this.topic)
			.groups()
			.stream()
			.filter((group) -> group.name().equals(name))
			.findFirst()
			.orElseThrow();
	}

	static class Regions {

		final List<String> all = new CopyOnWriteArrayList<>();

		final List<String> europe = new CopyOnWriteArrayList<>();

		final List<String> some = new CopyOnWriteArrayList<>();

		final List<String> without = new CopyOnWriteArrayList<>();

		@QueueListener(topic = "${topic}", group = "all")
		void all(String text) {
			this.all.add(text);
		}

		@QueueListener(topic = "${topic}", group = "europe",
				groupFilter = @HeaderFilter(name = "region", oneOf = { "EU", "DE" }))
		void europe(String text) {
			this.europe.add(text);
		}

		@QueueListener(topic = "${topic}", group = "some",
				groupFilter = @HeaderFilter(name = "region", prefix = "E", exists = "true"))
		void some(String text) {
			this.some.add(text);
		}

		@QueueListener(topic = "${topic}", group = "without", groupFilter = {
				@HeaderFilter(name = "region", exists = "false"), @HeaderFilter(name = "level", equalTo = "5") })
		void without(String text) {
			this.without.add(text);
		}

	}

	static class Changed {

		final List<String> europe = new CopyOnWriteArrayList<>();

		@QueueListener(topic = "${topic}", group = "europe",
				groupFilter = @HeaderFilter(name = "region", equalTo = "US"))
		void europe(String text) {
			this.europe.add(text);
		}

	}

}
