package io.redelay.queue.fault;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.RejectMessageException;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.bundle.BundleCallback;
import io.redelay.queue.bundle.BundleSummary;
import io.redelay.queue.bundle.FirstDeath;
import io.redelay.queue.bundle.MessageBundles;
import io.redelay.queue.event.RedisRolledBackEvent;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.EventListener;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A Redis that goes back in time while instances send bundles and handle their messages.
 */
class BundleRollbackIntegrationTests extends FaultTests {

	private static final int MEMBERS = 10;

	@TempDir
	Path snapshots;

	private final AtomicInteger sent = new AtomicInteger();

	@Override
	RedisServer startServer() {
		return RedisServer.builder().config("dir " + this.snapshots, "save \"\"").start();
	}

	@Test
	void eachBundleEndsAndCountsItsMessagesWhenAnOlderSnapshotIsLoaded() {
		String poll = "redelay.queue.safety-poll-interval=200ms";
		List<ConfigurableApplicationContext> instances = List.of(instance(Lines.class, REPLAY, poll),
				instance(Lines.class, REPLAY, poll));
		send(instances, 20);
		awaitCallbacks(instances, 5);
		this.redis.command("SAVE");
		send(instances, 20);
		awaitCallbacks(instances, 30);
		this.redis.kill();
		this.redis.restart();
		send(instances, 5);
		QueueAdmin admin = instances.get(0).getBean(QueueAdmin.class);
		Awaitility.await().untilAsserted(() -> assertThat(admin.queues().bundles(this.queue + "-done")).isEmpty());
		awaitCallbacks(instances, 45);
		assertThat(summaries(instances)).allSatisfy((summary) -> {
			assertThat(summary.total()).isEqualTo(MEMBERS);
			assertThat(summary.dead()).isEqualTo(2);
			assertThat(summary.acknowledged()).isEqualTo(MEMBERS - 2);
			// What was handled before its message came again may have lost its result.
			assertThat(summary.results(String.class)).hasSizeLessThanOrEqualTo(summary.acknowledged());
			assertThat(summary.results(String.class).values())
				.allSatisfy((result) -> assertThat(result).startsWith("result of good-" + summary.id().substring(1)));
		});
		assertThat(summaries(instances).filter((summary) -> summary.results().kept().size() == summary.acknowledged()))
			.as("with all their results")
			.hasSizeGreaterThan(5);
		assertThat(instances).flatExtracting((instance) -> instance.getBean(Lines.class).events)
			.extracting(RedisRolledBackEvent::lane)
			.contains("bundles");
	}

	@Test
	@Tag("full")
	void theRestOfBundlesIsCancelledWhenAnOlderSnapshotIsLoaded() {
		List<ConfigurableApplicationContext> instances = List.of(instance(Lines.class, REPLAY),
				instance(Lines.class, REPLAY));
		doom(instances, 5);
		this.redis.command("SAVE");
		doom(instances, 10);
		awaitCallbacks(instances, 8);
		this.redis.kill();
		this.redis.restart();
		doom(instances, 3);
		QueueAdmin admin = instances.get(0).getBean(QueueAdmin.class);
		Awaitility.await()
			.atMost(Duration.ofMinutes(3))
			.untilAsserted(() -> assertThat(admin.queues().bundles(this.queue + "-done")).isEmpty());
		awaitCallbacks(instances, 18);
		Awaitility.await().untilAsserted(() -> assertThat(admin.queues().info(this.queue).scheduled()).isZero());
		assertThat(summaries(instances)).allSatisfy((summary) -> {
			assertThat(summary.total()).isEqualTo(MEMBERS);
			assertThat(summary.dead()).isEqualTo(1);
			assertThat(summary.cancelled()).isEqualTo(MEMBERS - 1);
		});
	}

	/**
	 * Sends bundles of which one message dies, and the others are due much later.
	 */
	private void doom(List<ConfigurableApplicationContext> instances, int count) {
		for (int i = 0; i < count; i++) {
			int number = this.sent.getAndIncrement();
			instances.get(number % instances.size())
				.getBean(MessageBundles.class)
				.send(BundleCallback.to(this.queue + "-done").id("b" + number).onFirstDeath(FirstDeath.CANCEL_REST),
						IntStream.range(0, MEMBERS)
							.mapToObj((n) -> OutboundMessage
								.to(this.queue, ((n < 1) ? "bad-" : "good-") + number + "-" + n)
								.delay((n < 1) ? Duration.ZERO : Duration.ofHours(1)))
							.toList());
		}
	}

	private void send(List<ConfigurableApplicationContext> instances, int count) {
		for (int i = 0; i < count; i++) {
			int number = this.sent.getAndIncrement();
			instances.get(number % instances.size())
				.getBean(MessageBundles.class)
				.send(BundleCallback.to(this.queue + "-done").id("b" + number).keepResults(), IntStream
					.range(0, MEMBERS)
					.mapToObj((n) -> OutboundMessage.to(this.queue, ((n < 2) ? "bad-" : "good-") + number + "-" + n))
					.toList());
		}
	}

	private static void awaitCallbacks(List<ConfigurableApplicationContext> instances, int count) {
		Awaitility.await()
			.untilAsserted(() -> assertThat(summaries(instances).map(BundleSummary::id).distinct().count())
				.isGreaterThanOrEqualTo(count));
	}

	private static Stream<BundleSummary> summaries(List<ConfigurableApplicationContext> instances) {
		return instances.stream().flatMap((instance) -> instance.getBean(Lines.class).summaries.stream());
	}

	static class Lines {

		final ConcurrentLinkedQueue<BundleSummary> summaries = new ConcurrentLinkedQueue<>();

		final ConcurrentLinkedQueue<RedisRolledBackEvent> events = new ConcurrentLinkedQueue<>();

		@EventListener
		void onRollback(RedisRolledBackEvent event) {
			this.events.add(event);
		}

		@QueueListener("${test.queue}")
		String line(String line) {
			if (line.startsWith("bad-")) {
				throw new RejectMessageException(line);
			}
			return "result of " + line;
		}

		@QueueListener("${test.queue}-done")
		void done(BundleSummary summary) {
			this.summaries.add(summary);
		}

	}

}
