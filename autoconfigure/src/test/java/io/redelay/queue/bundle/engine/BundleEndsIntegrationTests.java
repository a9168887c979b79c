package io.redelay.queue.bundle.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.redelay.queue.AckMode;
import io.redelay.queue.ExpiryAction;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.RejectMessageException;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.bundle.BundleCallback;
import io.redelay.queue.bundle.BundleDeath;
import io.redelay.queue.bundle.BundleSummary;
import io.redelay.queue.bundle.MessageBundles;
import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import io.redelay.test.Waiting;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Messages of bundles in queues that make something special of their ends.
 */
class BundleEndsIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String lines = TestRedis.queue();

	private final String early = TestRedis.queue();

	private final String handedOn = TestRedis.queue();

	private final String shortest = TestRedis.queue();

	private final String full = TestRedis.queue();

	private final String dead = TestRedis.queue();

	private final String done = TestRedis.queue();

	private final ListenerApplication application = ListenerApplication.on(redis)
		.beans(Handlers.class)
		.with("test.lines", this.lines)
		.with("test.early", this.early)
		.with("test.handed-on", this.handedOn)
		.with("test.shortest", this.shortest)
		.with("test.full", this.full)
		.with("test.dead", this.dead)
		.with("test.done", this.done)
		.with("redelay.queue.safety-poll-interval", "200ms")
		.with("redelay.queue.queues." + this.lines + ".partitions", 3)
		.with("redelay.queue.queues." + this.lines + ".completed.max-count", 1000)
		.with("redelay.queue.queues." + this.done + ".partitions", 2)
		.with("redelay.queue.queues." + this.done + ".completed.max-count", 10)
		.with("redelay.queue.queues." + this.shortest + ".max-length", 2)
		.with("redelay.queue.queues." + this.shortest + ".overflow", "drop-oldest")
		.with("redelay.queue.queues." + this.full + ".max-length", 2)
		.start();

	private final QueueAdmin admin = this.application.bean(QueueAdmin.class);

	@AfterEach
	void close() {
		this.application.close();
	}

	@Test
	void whatIsKeptWhenItIsDoneInPartitionsCountsInItsOwnWay() throws InterruptedException {
		pause(this.lines);
		send(Stream
			.concat(IntStream.range(0, 20).mapToObj((i) -> OutboundMessage.to(this.lines, "good-" + i)),
					Stream.of(OutboundMessage.to(this.lines, "bad-1"),
							OutboundMessage.to(this.lines, "bad-2").id("x y").deadLetterQueue(this.dead),
							OutboundMessage.to(this.lines, "good").timeToLive(Duration.ofMillis(1), ExpiryAction.DROP)))
			.toList());
		// What has expired may be gone by then.
		Waiting.await().until(() -> this.admin.queues().info(this.lines).ready() >= 22);
		this.admin.control().resume(this.lines);
		BundleSummary summary = summary();
		assertThat(summary.acknowledged()).isEqualTo(20);
		assertThat(summary.expired()).isEqualTo(1);
		assertThat(summary.dead()).isEqualTo(2);
		assertThat(summary.deaths()).extracting(BundleDeath::id).contains("x y");
		assertThat(summary.total()).isEqualTo(23);
		assertThat(this.admin.queues().info(this.dead).ready()).isEqualTo(1);
	}

	@Test
	void whatIsAcknowledgedBeforeItIsHandledCountsAsAcknowledgedThoughItFails() throws InterruptedException {
		send(List.of(OutboundMessage.to(this.early, "bad-1"), OutboundMessage.to(this.early, "good-1")));
		assertThat(summary().acknowledged()).isEqualTo(2);
	}

	@Test
	void whatDiesIsDeadOnceThoughItIsHandedOnAndHandledThere() throws InterruptedException {
		send(List.of(OutboundMessage.to(this.handedOn, "bad-1").id("first"),
				OutboundMessage.to(this.handedOn, "good-1")));
		BundleSummary summary = summary();
		assertThat(summary.dead()).isEqualTo(1);
		assertThat(summary.acknowledged()).isEqualTo(1);
		assertThat(summary.deaths()).extracting(BundleDeath::id).containsExactly("first");
		Waiting.await()
			.until(() -> this.admin.queues().names().contains(this.dead)
					&& this.admin.queues().info(this.dead).ready() == 1);
	}

	@Test
	void whatAFullQueueDropsCounts() throws InterruptedException {
		pause(this.shortest);
		send(IntStream.range(0, 5).mapToObj((i) -> OutboundMessage.to(this.shortest, "good-" + i)).toList());
		Waiting.await().until(() -> this.admin.queues().bundles(this.done).get(0).pending() == 2);
		this.admin.control().resume(this.shortest);
		BundleSummary summary = summary();
		assertThat(summary.dropped()).isEqualTo(3);
		assertThat(summary.acknowledged()).isEqualTo(2);
	}

	@Test
	void whatAFullQueueRefusesIsPendingUntilItHasRoom() throws InterruptedException {
		pause(this.full);
		send(IntStream.range(0, 4).mapToObj((i) -> OutboundMessage.to(this.full, "good-" + i)).toList());
		Waiting.await().until(() -> this.admin.queues().info(this.full).ready() == 2);
		this.admin.control().resume(this.full);
		assertThat(summary().acknowledged()).isEqualTo(4);
	}

	private void pause(String queue) {
		// It is there when its listener has begun.
		Waiting.await().until(() -> this.admin.queues().names().contains(queue));
		this.admin.control().pause(queue);
	}

	private void send(List<OutboundMessage> messages) {
		this.application.bean(MessageBundles.class).send(BundleCallback.to(this.done), messages);
	}

	private BundleSummary summary() throws InterruptedException {
		BundleSummary summary = this.application.bean(Handlers.class).summaries.poll(60, TimeUnit.SECONDS);
		assertThat(summary).as("a callback within 30 s; there are %s", this.admin.queues().bundles(this.done))
			.isNotNull();
		return summary;
	}

	static class Handlers {

		final BlockingQueue<BundleSummary> summaries = new LinkedBlockingQueue<>();

		@QueueListener({ "${test.lines}", "${test.shortest}", "${test.full}" })
		void line(String line) {
			handle(line);
		}

		@QueueListener(queues = "${test.early}", ackMode = AckMode.BEFORE_HANDLING)
		void early(String line) {
			handle(line);
		}

		@QueueListener(queues = "${test.handed-on}", deadLetterQueue = "${test.dead}")
		void handedOn(String line) {
			handle(line);
		}

		private static void handle(String line) {
			if (line.startsWith("bad-")) {
				throw new RejectMessageException(line);
			}
		}

		@QueueListener("${test.done}")
		void done(BundleSummary summary) {
			this.summaries.add(summary);
		}

	}

}
