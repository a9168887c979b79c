package io.redelay.queue.admin;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

import io.redelay.queue.DeathReason;
import io.redelay.queue.MessageState;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.work.DeliveryInfo;
import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for searching the messages of a queue.
 */
class MessageSearchIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	private final Handler handler = new Handler();

	private ListenerApplication application;

	private QueueAdmin admin;

	@BeforeEach
	void start() {
		this.application = ListenerApplication.on(redis)
			.bean(this.handler)
			.with("queue", this.queue)
			.with("redelay.queue.listener.auto-startup", "false")
			.with("redelay.queue.listener.max-attempts", "1")
			.with("redelay.queue.send.max-message-size", "2MB")
			.with("redelay.queue.queues." + this.queue + ".completed.max-age", "1h")
			.start();
		this.admin = this.application.bean(QueueAdmin.class);
	}

	@AfterEach
	void close() {
		this.handler.end.countDown();
		this.application.close();
	}

	@Test
	void findsMessagesByWhatTheyAre() {
		send(message("a", Map.of("customer", Map.of("id", 7), "lines", List.of("x", "y"), "gone", true))
			.header("tenant", "blue")
			.tag("order:7")
			.payloadType("order"));
		send(message("b", Map.of("customer", Map.of("id", 8))).header("tenant", "red"),
				message("c", "plain text").delay(Duration.ofHours(1)), message("d", "{\"customer\":"));
		Instant before = this.admin.messages().find(this.queue, "a").orElseThrow().sentAt();
		assertThat(found(MessageFilter.all())).containsExactlyInAnyOrder("a", "b", "c", "d");
		assertThat(found(MessageFilter.all().header("tenant", "blue"))).containsExactly("a");
		assertThat(found(MessageFilter.all().header("tenant", "blue").header("other", "x"))).isEmpty();
		assertThat(found(MessageFilter.all().field("/customer/id", "7"))).containsExactly("a");
		assertThat(found(MessageFilter.all().field("/lines", "y"))).containsExactly("a");
		assertThat(found(MessageFilter.all().field("/gone", "true"))).containsExactly("a");
		assertThat(found(MessageFilter.all().field("/customer", "7"))).isEmpty();
		assertThat(found(MessageFilter.all().payloadType("order"))).containsExactly("a");
		assertThat(found(MessageFilter.all().tag("order:7"))).containsExactly("a");
		assertThat(found(MessageFilter.all().tag("order:7").header("tenant", "red"))).isEmpty();
		assertThat(found(MessageFilter.all().states(MessageState.SCHEDULED))).containsExactly("c");
		assertThat(found(MessageFilter.all().states(MessageState.READY, MessageState.SCHEDULED))).hasSize(4);
		assertThat(found(MessageFilter.all().states(MessageState.DEAD))).isEmpty();
		assertThat(found(MessageFilter.all().dueAfter(before.plusSeconds(60)))).containsExactly("c");
		assertThat(found(MessageFilter.all().dueBefore(before.plusSeconds(60)))).hasSize(3);
		assertThat(found(MessageFilter.all().sentBefore(before))).isEmpty();
		assertThat(found(MessageFilter.all().sentAfter(before))).hasSize(4);
		assertThat(found(MessageFilter.all().id("b"))).containsExactly("b");
		assertThat(found(MessageFilter.all().id("b").header("tenant", "blue"))).isEmpty();
	}

	@Test
	void findsTheDeadAndTheCompletedByWhatBecameOfThem() {
		send(message("a", "fail"), message("b", "ok"), message("c", "fail otherwise"));
		this.application.container().start();
		Awaitility.await().untilAsserted(() -> {
			assertThat(this.admin.queues().info(this.queue).dead()).isEqualTo(2);
			assertThat(this.admin.queues().info(this.queue).completed()).isOne();
		});
		Instant died = this.admin.messages().find(this.queue, "a").orElseThrow().diedAt();
		assertThat(found(MessageFilter.all())).containsExactlyInAnyOrder("a", "b", "c");
		assertThat(found(MessageFilter.all().states(MessageState.COMPLETED))).containsExactly("b");
		assertThat(found(MessageFilter.all().reason(DeathReason.FAILED))).containsExactlyInAnyOrder("a", "c");
		assertThat(found(MessageFilter.all().reason(DeathReason.EXPIRED))).isEmpty();
		assertThat(found(MessageFilter.all().exception(IllegalStateException.class.getName())))
			.containsExactlyInAnyOrder("a", "c");
		assertThat(found(MessageFilter.all().text("otherwise"))).containsExactly("c");
		assertThat(found(MessageFilter.all().minFailures(1))).containsExactlyInAnyOrder("a", "c");
		assertThat(found(MessageFilter.all().diedAfter(died))).contains("a").doesNotContain("b");
		assertThat(found(MessageFilter.all().diedBefore(died))).doesNotContain("a", "b");
	}

	@Test
	void aStepIsBoundedByANumberAndTheNextOneGoesOn() {
		send(IntStream.range(0, 2500)
			.mapToObj((i) -> message("m" + i, Map.of("n", i % 500)))
			.toArray(OutboundMessage[]::new));
		List<String> found = new ArrayList<>();
		String cursor = null;
		int steps = 0;
		do {
			SearchPage page = this.admin.messages()
				.search(this.queue, MessageFilter.all().field("/n", "3"), cursor, 100);
			assertThat(page.examined()).isLessThan(1100);
			page.messages().forEach((message) -> found.add(message.id()));
			cursor = page.cursor();
			steps++;
		}
		while (cursor != null);
		assertThat(found).containsExactlyInAnyOrder("m3", "m503", "m1003", "m1503", "m2003");
		assertThat(steps).isBetween(3, 10);
		assertThat(found(MessageFilter.all(), 40)).hasSize(2500).doesNotHaveDuplicates();
	}

	@Test
	void aStepGivesHardlyMoreThanWereWanted() {
		send(IntStream.range(0, 600).mapToObj((i) -> message("m" + i, i)).toArray(OutboundMessage[]::new));
		SearchPage page = this.admin.messages().search(this.queue, MessageFilter.all(), null, 7);
		assertThat(page.messages()).hasSizeBetween(7, 30);
		assertThat(page.isComplete()).isFalse();
	}

	@Test
	void aStepIsBoundedByBytes() {
		String large = "x".repeat(1_500_000);
		for (int i = 0; i < 8; i++) {
			send(message("m" + i, large));
		}
		SearchPage page = this.admin.messages().search(this.queue, MessageFilter.all(), null, 500);
		assertThat(page.messages()).isNotEmpty().hasSizeLessThan(8);
		assertThat(found(MessageFilter.all())).hasSize(8).doesNotHaveDuplicates();
	}

	@Test
	void scheduledOnesComeAsTheyAreDue() {
		Instant start = Instant.now().plusSeconds(3600);
		send(IntStream.range(0, 50)
			.mapToObj((i) -> message("m" + i, i).dueAt(start.plusSeconds((i * 7) % 50)))
			.toArray(OutboundMessage[]::new));
		MessageFilter scheduled = MessageFilter.all().states(MessageState.SCHEDULED);
		List<QueuedMessage> all = messages(scheduled, 9);
		assertThat(all).hasSize(50).isSortedAccordingTo((one, other) -> one.dueAt().compareTo(other.dueAt()));
		List<QueuedMessage> some = messages(scheduled.dueAfter(start.plusSeconds(10)).dueBefore(start.plusSeconds(20)),
				3);
		assertThat(some).hasSize(10);
		SearchPage none = this.admin.messages().search(this.queue, scheduled.dueBefore(start), null, 10);
		assertThat(none.examined()).isLessThan(50);
		assertThat(none.isComplete()).isTrue();
	}

	@Test
	void theDeadThatAreRemovedMeanwhileHideNoOthers() {
		send(IntStream.range(0, 300).mapToObj((i) -> message("m" + i, "fail")).toArray(OutboundMessage[]::new));
		this.application.container().start();
		Awaitility.await().untilAsserted(() -> assertThat(this.admin.queues().info(this.queue).dead()).isEqualTo(300));
		List<String> found = new ArrayList<>();
		String cursor = null;
		do {
			SearchPage page = this.admin.messages()
				.search(this.queue, MessageFilter.all().states(MessageState.DEAD), cursor, 7);
			assertThat(page.messages()).hasSizeLessThanOrEqualTo(7);
			page.messages().forEach((message) -> found.add(message.id()));
			this.admin.messages().cancelAll(this.queue, page.messages().stream().map(QueuedMessage::uid).toList());
			cursor = page.cursor();
		}
		while (cursor != null);
		assertThat(found).hasSize(300).doesNotHaveDuplicates();
	}

	@Test
	void goesThroughWhatIsInFlight() {
		send(IntStream.range(0, 60).mapToObj((i) -> message("m" + i, "wait")).toArray(OutboundMessage[]::new));
		this.application.container().start();
		Awaitility.await()
			.untilAsserted(() -> assertThat(this.admin.queues().info(this.queue).inFlight()).isEqualTo(60));
		SearchPage page = this.admin.messages()
			.search(this.queue, MessageFilter.all().states(MessageState.IN_FLIGHT), null, 20);
		assertThat(page.messages()).hasSizeBetween(20, 40).allMatch((message) -> message.instance() != null);
		assertThat(found(MessageFilter.all().states(MessageState.IN_FLIGHT), 20)).hasSize(60).doesNotHaveDuplicates();
	}

	@Test
	void beginsAnewBehindACursorThatAnotherProcessOfRedisGave() {
		// The name of the process comes behind all uids.
		String toldByAnother = "LIVING~0~5~zzzzzzzz";
		send(message("m0", 0)); // Redis reads so few as a whole
		assertThat(this.admin.messages().search(this.queue, MessageFilter.all(), toldByAnother, 100).messages())
			.hasSize(1);
		send(IntStream.range(1, 60).mapToObj((i) -> message("m" + i, i)).toArray(OutboundMessage[]::new));
		assertThat(this.admin.messages().search(this.queue, MessageFilter.all(), toldByAnother, 100).messages())
			.hasSize(60);
	}

	@Test
	void refusesACursorOfAnotherSearch() {
		send(message("a", "x"));
		for (String cursor : List.of("", "x", "LIVING", "LIVING~0~0~0~0", "LIVING~99999~~", "DEAD~0~1.1~",
				"DEAD~0~1~\0", "LIVING~0~99999999999999999999~", "DEAD~0~~")) {
			assertThatIllegalArgumentException().as(cursor)
				.isThrownBy(() -> this.admin.messages()
					.search(this.queue, MessageFilter.all().states(MessageState.READY), cursor, 10))
				.withMessageContaining("'cursor'");
		}
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.admin.messages().search(this.queue, MessageFilter.all(), null, 501))
			.withMessageContaining("'limit'");
		assertThat(this.admin.messages().search(this.queue, MessageFilter.all(), "LIVING~7~~", 10).messages())
			.isEmpty();
		assertThat(this.admin.messages().search(this.queue, MessageFilter.all(), "DEAD~0~1~x", 10).messages())
			.isEmpty();
	}

	private List<String> found(MessageFilter filter) {
		return found(filter, 100);
	}

	private List<String> found(MessageFilter filter, int limit) {
		return messages(filter, limit).stream().map(QueuedMessage::id).toList();
	}

	private List<QueuedMessage> messages(MessageFilter filter, int limit) {
		List<QueuedMessage> found = new ArrayList<>();
		SearchPage page = this.admin.messages().search(this.queue, filter, null, limit);
		found.addAll(page.messages());
		while (page.cursor() != null) {
			page = this.admin.messages().search(this.queue, filter, page.cursor(), limit);
			found.addAll(page.messages());
		}
		return found;
	}

	private OutboundMessage message(String id, Object payload) {
		return OutboundMessage.to(this.queue, payload).id(id);
	}

	private Collection<?> send(OutboundMessage... messages) {
		return this.application.queues().sendAll(List.of(messages));
	}

	/**
	 * Fails, waits, or does nothing, as the payload says.
	 */
	static class Handler {

		private final CountDownLatch end = new CountDownLatch(1);

		@QueueListener(queues = "${queue}", concurrency = "64")
		void handle(String payload, DeliveryInfo delivery) throws InterruptedException {
			if (payload.startsWith("fail")) {
				throw new IllegalStateException(payload);
			}
			if (payload.equals("wait")) {
				this.end.await();
			}
		}

	}

}
