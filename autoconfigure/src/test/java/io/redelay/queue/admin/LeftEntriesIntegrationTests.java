package io.redelay.queue.admin;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;

import io.redelay.queue.MessageState;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.SendResult;
import io.redelay.test.ListenerApplication;
import io.redelay.test.QueueState;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for what messages leave behind that are cancelled or moved while no lane claims,
 * and for what a queue leaves behind.
 */
class LeftEntriesIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	private final QueueState state = QueueState.of(redis, this.queue);

	private ListenerApplication application = application().start();

	private QueueAdmin admin = this.application.bean(QueueAdmin.class);

	@AfterEach
	void close() {
		this.application.close();
	}

	@Test
	void cancelledMessagesLeaveNothingWithoutAListener() {
		List<String> ids = send(50);
		ids.forEach((id) -> this.admin.messages().cancel(this.queue, id));
		assertThat(keys()).containsOnly("known");
	}

	@Test
	void someOfAFewLeaveNothingEither() {
		List<String> ids = send(50);
		this.admin.messages().cancelAll(this.queue, ids.subList(10, 20));
		this.admin.messages().reschedule(this.queue, ids.get(20), Duration.ofHours(1));
		this.admin.messages().runNow(this.queue, ids.get(30));
		assertThat(this.state.ready()).isEqualTo(39);
		assertThat(waiting()).startsWith("m30", "m0").endsWith("m49").hasSize(39);
	}

	@Test
	void manyThatAreCancelledLeaveABoundedNumber() {
		this.application.queues().send(this.queue, "later", Duration.ofHours(1));
		List<String> ids = send(6_000);
		List<String> kept = IntStream.range(0, 6_000).filter((i) -> i % 60 == 0).mapToObj((i) -> "m" + i).toList();
		List<String> others = IntStream.range(0, 6_000).filter((i) -> i % 60 != 0).mapToObj(ids::get).toList();
		this.admin.messages().cancelAll(this.queue, others);
		Awaitility.await().untilAsserted(() -> assertThat(this.state.ready()).isLessThanOrEqualTo(100 + 1_000));
		assertThat(waiting()).containsExactlyElementsOf(kept);
		assertThat(this.admin.queues().info(this.queue).ready()).isEqualTo(100);
	}

	@Test
	void manyThatAreMovedLeaveABoundedNumberWhilePaused() {
		Collector collector = new Collector();
		this.application.close();
		this.application = application().bean(collector).with("queue", this.queue).start();
		this.admin = this.application.bean(QueueAdmin.class);
		Awaitility.await().until(() -> this.admin.queues().names().contains(this.queue));
		this.admin.control().pause(this.queue);
		List<String> ids = send(3_000);
		Random random = new Random(1);
		Set<String> moved = ids.stream().filter((id) -> random.nextInt(10) > 0).collect(Collectors.toSet());
		moved.parallelStream().forEach((id) -> this.admin.messages().reschedule(this.queue, id, Duration.ofHours(1)));
		int left = 3_000 - moved.size();
		Awaitility.await().untilAsserted(() -> assertThat(this.state.ready()).isLessThanOrEqualTo(left + 1_000));
		this.admin.control().resume(this.queue);
		Awaitility.await().untilAsserted(() -> assertThat(collector.handled).hasValue(left));
		assertThat(this.admin.queues().info(this.queue).scheduled()).isEqualTo(moved.size());
	}

	@Test
	void aQueueOfLargeMessagesThatWasEmptiedForgetsHowLargeTheyWere() {
		String large = "x".repeat(10_000);
		String id = this.application.queues().send(this.queue, large).id();
		assertThat(keys()).contains("meta");
		this.admin.messages().cancel(this.queue, id);
		assertThat(keys()).containsOnly("known");
		this.application.queues().send(this.queue, large);
		this.admin.control().purge(this.queue, MessageState.READY);
		assertThat(keys()).containsOnly("known");
		this.application.queues().send(this.queue, large);
		Collector collector = new Collector();
		try (ListenerApplication listening = application().bean(collector).with("queue", this.queue).start()) {
			Awaitility.await().untilAsserted(() -> assertThat(collector.handled).hasValue(1));
			Awaitility.await().untilAsserted(() -> assertThat(keys()).doesNotContain("meta", "messages"));
		}
	}

	/**
	 * One that leaves no counts, which are written every few seconds.
	 */
	private static ListenerApplication.Builder application() {
		return ListenerApplication.on(redis).with("redelay.queue.stats.enabled", "false");
	}

	private List<String> send(int count) {
		return this.application.queues()
			.sendAll(IntStream.range(0, count).mapToObj((i) -> OutboundMessage.to(this.queue, "m" + i)).toList())
			.stream()
			.map(SendResult::id)
			.toList();
	}

	/**
	 * The waiting messages of all pages: entries whose message is gone take places on a
	 * page.
	 */
	private List<String> waiting() {
		List<String> waiting = new ArrayList<>();
		QueuePage page;
		int number = 0;
		do {
			page = this.admin.messages().browse(this.queue, MessageState.READY, number++, 500);
			page.messages().stream().map(QueuedMessage::payloadAsText).forEach(waiting::add);
		}
		while (page.hasNext());
		return waiting;
	}

	/**
	 * The keys of the queue, but for those of senders, which expire.
	 */
	private Set<String> keys() {
		String base = "redelay:{" + this.queue + "}:";
		return StreamSupport.stream(redis.client().getKeys().getKeys().spliterator(), false)
			.filter((key) -> key.startsWith(base) && !key.startsWith(base + "sent:"))
			.map((key) -> key.substring(base.length()))
			.collect(Collectors.toSet());
	}

	static class Collector {

		final AtomicInteger handled = new AtomicInteger();

		@QueueListener(queues = "${queue}")
		void handle(String text) {
			this.handled.incrementAndGet();
		}

	}

}
