package io.redelay.queue.admin;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

import io.redelay.queue.Deduplication;
import io.redelay.queue.MessageState;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueHeaders;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.RejectMessageException;
import io.redelay.queue.RetryMessageException;
import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.redisson.client.codec.StringCodec;

import org.springframework.messaging.handler.annotation.Header;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for tags: what messages are found by, whatever becomes of them.
 */
class TagIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private static final String KEPT = TestRedis.queue();

	private static final String SPREAD = TestRedis.queue();

	private static final String TOPIC = "tagged-" + TestRedis.queue();

	private static final String HANDLED = TestRedis.queue();

	private static final String DEAD_LETTERS = TestRedis.queue();

	private static final Handler handler = new Handler();

	private static ListenerApplication application;

	private final String queue = TestRedis.queue();

	@BeforeAll
	static void start() {
		application = ListenerApplication.on(redis)
			.with("queue", HANDLED)
			.with("kept", KEPT)
			.with("topic", TOPIC)
			.with("redelay.queue.queues[" + KEPT + "].completed.max-age", "1h")
			.with("redelay.queue.queues[" + KEPT + "].completed.max-count", "3")
			.with("redelay.queue.queues[" + SPREAD + "].partitions", "3")
			.with("redelay.queue.topics." + TOPIC + ".retention.max-age", "1h")
			.bean(handler)
			.start();
	}

	@AfterAll
	static void close() {
		application.close();
	}

	@Test
	void aMessageIsFoundByEachOfItsTagsAndNoOther() {
		queues().send(message("a").id("a").tag("order:7").tag("customer: é|%"));
		queues().send(message("b").id("b").tag("order:70").delay(Duration.ofHours(1)));
		queues().send(message("c").id("c"));
		assertThat(ids(this.queue, "order:7")).containsExactly("a");
		assertThat(ids(this.queue, "customer: é|%")).containsExactly("a");
		assertThat(ids(this.queue, "order:70")).containsExactly("b");
		assertThat(ids(this.queue, "order:")).isEmpty();
		QueuedMessage found = admin().messages().find(this.queue, "a").orElseThrow();
		assertThat(found.tags()).containsExactly("order:7", "customer: é|%");
		assertThat(admin().messages().find(this.queue, "c").orElseThrow().tags()).isEmpty();
	}

	@Test
	void aQueueWithoutTagsHasNoIndex() {
		queues().send(message("a").orderingKey("k"));
		assertThat(index(this.queue)).isEmpty();
		queues().send(message("b").tag("t"));
		assertThat(index(this.queue)).hasSize(1);
	}

	@Test
	void whatATagMayBeIsSaid() {
		OutboundMessage message = message("a");
		assertThatIllegalArgumentException().isThrownBy(() -> message.tag(" ")).withMessage("'tag' is blank: ' '");
		assertThatIllegalArgumentException().isThrownBy(() -> message.tag("a\nb"))
			.withMessageContaining("'tag' has a control character");
		assertThatIllegalArgumentException().isThrownBy(() -> message.tag("x".repeat(101)))
			.withMessageContaining("'tag' has 101 characters, and a tag has at most 100");
		assertThatIllegalArgumentException().isThrownBy(() -> message.tag("\ud800"))
			.withMessageContaining("lone surrogate");
		List<String> many = IntStream.range(0, 11).mapToObj((i) -> "t" + i).toList();
		assertThatIllegalArgumentException().isThrownBy(() -> message.tags(many))
			.withMessageContaining("'tags' must be at most 10, and 11 were given: [t0, t1,");
		List<String> largest = IntStream.range(0, 10).mapToObj((i) -> "é".repeat(99) + i).toList();
		queues().send(message.id("largest").tags(largest));
		largest.forEach((tag) -> assertThat(ids(this.queue, tag)).containsExactly("largest"));
	}

	@Test
	void badInputOfASearchIsNamed() {
		queues().send(message("a").tag("t"));
		assertThatIllegalArgumentException().isThrownBy(() -> admin().messages().findByTag(this.queue, "", null, 10))
			.withMessageContaining("'tag' is blank");
		assertThatIllegalArgumentException().isThrownBy(() -> admin().messages().findByTag(this.queue, "t", null, 0))
			.withMessageContaining("'limit' must be 1 to 500: 0");
		for (String cursor : List.of("", "t", "t0", "x0-l1", "t0-\n", "t99999-", "t0-lé")) {
			assertThatIllegalArgumentException()
				.isThrownBy(() -> admin().messages().findByTag(this.queue, "t", cursor, 10))
				.withMessageContaining("'cursor'");
		}
		assertThatExceptionOfType(UnknownQueueException.class)
			.isThrownBy(() -> admin().messages().cancelByTag("nobody-used-this", "t"));
	}

	@Test
	void pagesGoThroughAllOfATag() {
		queues().sendAll(IntStream.range(0, 25).mapToObj((i) -> message("m").id("m" + i).tag("t")).toList());
		List<String> found = new ArrayList<>();
		SearchPage page = admin().messages().findByTag(this.queue, "t", null, 10);
		int pages = 1;
		for (; page.cursor() != null; pages++) {
			assertThat(page.messages()).hasSize(10);
			assertThat(page.examined()).isEqualTo(10);
			page.messages().forEach((message) -> found.add(message.id()));
			page = admin().messages().findByTag(this.queue, "t", page.cursor(), 10);
		}
		page.messages().forEach((message) -> found.add(message.id()));
		assertThat(pages).isEqualTo(3);
		assertThat(found).hasSize(25).doesNotHaveDuplicates();
		assertThat(admin().messages().findByTag(this.queue, "t", null, 25).cursor()).isNull();
	}

	@Test
	void partitionsAreGoneThroughOneAfterTheOther() {
		String tag = "all partitions";
		queues().sendAll(
				IntStream.range(0, 30).mapToObj((i) -> OutboundMessage.to(SPREAD, "m").id("s" + i).tag(tag)).toList());
		List<String> found = new ArrayList<>();
		String cursor = null;
		do {
			SearchPage page = admin().messages().findByTag(SPREAD, tag, cursor, 7);
			page.messages().forEach((message) -> found.add(message.id()));
			assertThat(page.messages()).allMatch((message) -> message.queue().equals(SPREAD));
			cursor = page.cursor();
		}
		while (cursor != null);
		assertThat(found).hasSize(30).doesNotHaveDuplicates();
		assertThat(admin().messages().cancelByTag(SPREAD, tag)).isEqualTo(30);
		assertThat(admin().messages().findByTag(SPREAD, tag, null, 100)).isEqualTo(new SearchPage(List.of(), null, 0));
	}

	@Test
	void aHandlerSeesTheTagsAndTheyGoWithTheAcknowledgement() {
		queues().send(OutboundMessage.to(HANDLED, "plain"));
		queues().send(OutboundMessage.to(HANDLED, "seen").tags(List.of("seen 1", "seen 2")));
		Awaitility.await().until(() -> handler.tags.containsKey("seen") && handler.tags.containsKey("plain"));
		assertThat(handler.tags.get("seen")).containsExactly("seen 1", "seen 2");
		assertThat(handler.tags.get("plain")).isEmpty();
		Awaitility.await().until(() -> ids(HANDLED, "seen 1").isEmpty());
	}

	@Test
	void tagsStayThroughRetryDeathAndRedriveUntilTheMessageIsHandled() {
		handler.failing.put("fails", new RetryMessageException(Duration.ofHours(1)));
		queues().send(OutboundMessage.to(HANDLED, "fails").id("fails").maxAttempts(2).tag("stays"));
		awaitState("fails", MessageState.SCHEDULED);
		assertThat(ids(HANDLED, "stays")).containsExactly("fails");
		admin().messages().reschedule(HANDLED, "fails", Duration.ofMinutes(30));
		handler.failing.put("fails", new RejectMessageException("no"));
		admin().messages().runNow(HANDLED, "fails");
		awaitState("fails", MessageState.DEAD);
		assertThat(ids(HANDLED, "stays")).containsExactly("fails");
		admin().control().pause(HANDLED);
		try {
			assertThat(admin().deadLetters().redriveByTag(HANDLED, "other")).isEqualTo(new RedriveResult(0, List.of()));
			assertThat(admin().deadLetters().redriveByTag(HANDLED, "stays")).isEqualTo(new RedriveResult(1, List.of()));
			assertThat(states(HANDLED, "stays")).containsExactly(MessageState.READY);
			admin().messages().reschedule(HANDLED, "fails", Duration.ofHours(1));
			assertThat(states(HANDLED, "stays")).containsExactly(MessageState.SCHEDULED);
			assertThat(index(HANDLED)).filteredOn((member) -> member.startsWith("stays\0")).hasSize(1);
		}
		finally {
			handler.failing.remove("fails");
			admin().control().resume(HANDLED);
		}
		admin().messages().runNow(HANDLED, "fails");
		Awaitility.await().until(() -> ids(HANDLED, "stays").isEmpty());
	}

	@Test
	void whatDoesNotLiveAgainIsNamed() {
		handler.failing.put("rejected", new RejectMessageException("no"));
		queues().send(OutboundMessage.to(HANDLED, "rejected").id("rejected").tag("named"));
		awaitState("rejected", MessageState.DEAD);
		String uid = admin().messages().find(HANDLED, "rejected").orElseThrow().uid();
		queues().send(OutboundMessage.to(HANDLED, "x").id("rejected").delay(Duration.ofHours(1)).tag("named"));
		assertThat(admin().deadLetters().redriveByTag(HANDLED, "named")).isEqualTo(new RedriveResult(0, List.of(uid)));
		assertThat(states(HANDLED, "named")).containsExactlyInAnyOrder(MessageState.DEAD, MessageState.SCHEDULED);
		assertThat(admin().messages().cancelByTag(HANDLED, "named")).isEqualTo(2);
		assertThat(ids(HANDLED, "named")).isEmpty();
		assertThat(admin().messages().find(HANDLED, "rejected")).isEmpty();
	}

	@Test
	void allOfATagAreCancelledInStepsAndNoOthers() {
		List<OutboundMessage> messages = new ArrayList<>();
		for (int i = 0; i < 1_100; i++) {
			messages
				.add(message("m").tag("gone").tag("step " + i % 2).delay(Duration.ofSeconds((i % 3 == 0) ? 0 : 600)));
		}
		messages.add(message("stays").id("stays").tag("gone "));
		queues().sendAll(messages);
		assertThat(admin().messages().cancelByTag(this.queue, "gone")).isEqualTo(1_100);
		assertThat(admin().messages().cancelByTag(this.queue, "gone")).isZero();
		QueueInfo info = admin().queues().info(this.queue);
		assertThat(info.ready() + info.scheduled()).isOne();
		assertThat(index(this.queue)).hasSize(1).allMatch((member) -> member.startsWith("gone \0"));
	}

	@Test
	void oneInHandIsNotDeliveredAgain() throws InterruptedException {
		handler.failing.put("in hand", new IllegalStateException("no"));
		queues().send(OutboundMessage.to(HANDLED, "in hand").tag("held"));
		assertThat(handler.inHand.await(2, java.util.concurrent.TimeUnit.MINUTES)).isTrue();
		assertThat(states(HANDLED, "held")).containsExactly(MessageState.IN_FLIGHT);
		assertThat(admin().messages().cancelByTag(HANDLED, "held")).isOne();
		handler.goOn.countDown();
		Awaitility.await().until(() -> ids(HANDLED, "held").isEmpty());
		assertThat(admin().messages().find(HANDLED, "in hand")).isEmpty();
	}

	@Test
	void theCompletedStayFindableAsLongAsTheyAreKept() {
		for (int i = 1; i <= 4; i++) {
			String id = "kept " + i;
			queues().send(OutboundMessage.to(KEPT, id).id(id).tag("kept").tag(id));
			Awaitility.await()
				.until(() -> admin().messages()
					.find(KEPT, id)
					.filter((it) -> it.state() == MessageState.COMPLETED)
					.isPresent());
		}
		assertThat(ids(KEPT, "kept")).containsExactlyInAnyOrder("kept 2", "kept 3", "kept 4");
		assertThat(ids(KEPT, "kept 1")).isEmpty();
		assertThat(states(KEPT, "kept 4")).containsExactly(MessageState.COMPLETED);
		assertThat(index(KEPT)).isEmpty();
		assertThat(redis.client()
			.getScoredSortedSet("redelay:{" + KEPT + "}:completed:tags", StringCodec.INSTANCE)
			.remainTimeToLive()).isBetween(1L, Duration.ofHours(1).toMillis());
		assertThat(admin().messages().cancelByTag(KEPT, "kept")).isZero();
		queues().send(OutboundMessage.to(KEPT, "waits").id("waits").delay(Duration.ofHours(1)).tag("kept"));
		List<String> first = admin().messages()
			.findByTag(KEPT, "kept", null, 1)
			.messages()
			.stream()
			.map(QueuedMessage::id)
			.toList();
		assertThat(first).containsExactly("waits");
		String cursor = admin().messages().findByTag(KEPT, "kept", null, 2).cursor();
		assertThat(admin().messages().findByTag(KEPT, "kept", cursor, 10).messages()).hasSize(2);
		admin().messages().cancel(KEPT, "kept 3");
		assertThat(ids(KEPT, "kept")).containsExactlyInAnyOrder("waits", "kept 2", "kept 4");
		admin().control().purge(KEPT, MessageState.COMPLETED);
		assertThat(ids(KEPT, "kept")).containsExactly("waits");
	}

	@Test
	void theCopyInADeadLetterQueueHasTheTags() {
		handler.failing.put("handed on", new RejectMessageException("no"));
		queues().send(OutboundMessage.to(HANDLED, "handed on").tag("moves").deadLetterQueue(DEAD_LETTERS));
		Awaitility.await()
			.until(() -> admin().queues().names().contains(DEAD_LETTERS) && ids(DEAD_LETTERS, "moves").size() == 1);
		Awaitility.await().until(() -> ids(HANDLED, "moves").isEmpty());
		assertThat(admin().messages().findByTag(DEAD_LETTERS, "moves", null, 1).messages().get(0).tags())
			.containsExactly("moves");
	}

	@Test
	void aNextStepHasItsOwnTags() {
		handler.next.put("first step",
				OutboundMessage.to(HANDLED, "next step")
					.delay(Duration.ofHours(1))
					.tag("of the next step")
					.inDelivery());
		queues().send(OutboundMessage.to(HANDLED, "first step").tag("of the first step"));
		Awaitility.await().until(() -> ids(HANDLED, "of the next step").size() == 1);
		Awaitility.await().until(() -> ids(HANDLED, "of the first step").isEmpty());
		handler.next.put("second step", OutboundMessage.to(this.queue, "other queue").tag("elsewhere").inDelivery());
		queues().send(message("known"));
		queues().send(OutboundMessage.to(HANDLED, "second step"));
		Awaitility.await().until(() -> ids(this.queue, "elsewhere").size() == 1);
	}

	@Test
	void eachGroupOfATopicHasTheTagsAndSoHasAReplay() {
		Instant start = Instant.EPOCH;
		queues().publish(OutboundMessage.to(TOPIC, "published").id("published").delay(Duration.ofHours(1)).tag("t"));
		assertThat(ids(TOPIC + "@one", "t")).containsExactly("published");
		assertThat(admin().messages().cancelByTag(TOPIC + "@one", "t")).isOne();
		assertThat(ids(TOPIC + "@two", "t")).containsExactly("published");
		assertThat(ids(TOPIC + "@one", "t")).isEmpty();
		admin().topics().replay(TOPIC, "one", start);
		assertThat(ids(TOPIC + "@one", "t")).containsExactly("published");
	}

	@Test
	void whatReplacesAMessageHasItsOwnTags() {
		Deduplication newest = Deduplication.debounce("key", Duration.ofMinutes(10), Duration.ofHours(1));
		queues().send(message("first").tag("first").tag("both").deduplicate(newest));
		queues().send(message("second").tag("second").tag("both").deduplicate(newest));
		assertThat(ids(this.queue, "first")).isEmpty();
		assertThat(ids(this.queue, "second")).hasSize(1);
		assertThat(ids(this.queue, "both")).hasSize(1);
		assertThat(index(this.queue)).hasSize(2);
	}

	@Test
	void whatGathersHasTheTagsOfTheFirstAlsoWhenItIsFull() {
		Deduplication gathers = Deduplication.aggregate("key", Duration.ofHours(1), 2, 100_000);
		queues().send(OutboundMessage.to(this.queue, Map.of("a", 1)).tag("first").deduplicate(gathers));
		queues().send(OutboundMessage.to(this.queue, Map.of("a", 2)).tag("second").deduplicate(gathers));
		assertThat(ids(this.queue, "first")).hasSize(1);
		assertThat(states(this.queue, "first")).containsExactly(MessageState.READY);
		assertThat(ids(this.queue, "second")).isEmpty();
		assertThat(index(this.queue)).hasSize(1);
		assertThat(admin().messages().cancelByTag(this.queue, "first")).isOne();
		assertThat(index(this.queue)).isEmpty();
	}

	@Test
	void aQueueThatIsDeletedOrPurgedHasNoTags() {
		queues().send(message("a").tag("t"));
		queues().send(message("b").tag("t").delay(Duration.ofHours(1)));
		admin().control().purge(this.queue, MessageState.READY);
		admin().control().purge(this.queue, MessageState.SCHEDULED);
		assertThat(index(this.queue)).isEmpty();
		queues().send(message("c").tag("t"));
		admin().control().deleteWithMessages(this.queue);
		assertThat(index(this.queue)).isEmpty();
	}

	private static void awaitState(String id, MessageState state) {
		Awaitility.await()
			.untilAsserted(() -> assertThat(admin().messages().find(HANDLED, id)).get()
				.extracting(QueuedMessage::state)
				.isEqualTo(state));
	}

	private static List<String> ids(String queue, String tag) {
		return admin().messages().findByTag(queue, tag, null, 500).messages().stream().map(QueuedMessage::id).toList();
	}

	private static List<MessageState> states(String queue, String tag) {
		return admin().messages()
			.findByTag(queue, tag, null, 500)
			.messages()
			.stream()
			.map(QueuedMessage::state)
			.toList();
	}

	private static List<String> index(String queue) {
		return new ArrayList<>(redis.client()
			.<String>getScoredSortedSet("redelay:{" + queue + "}:tags", StringCodec.INSTANCE)
			.valueRange(0, -1));
	}

	private OutboundMessage message(String payload) {
		return OutboundMessage.to(this.queue, payload);
	}

	private static QueueOperations queues() {
		return application.queues();
	}

	private static QueueAdmin admin() {
		return application.bean(QueueAdmin.class);
	}

	static class Handler {

		final Map<String, RuntimeException> failing = new ConcurrentHashMap<>();

		final Map<String, OutboundMessage> next = new ConcurrentHashMap<>();

		final Map<String, Set<String>> tags = new ConcurrentHashMap<>();

		final List<String> copies = new CopyOnWriteArrayList<>();

		final CountDownLatch inHand = new CountDownLatch(1);

		final CountDownLatch goOn = new CountDownLatch(1);

		@QueueListener(queues = "${queue}", concurrency = "4", maxAttempts = "3")
		void handle(String text, @Header(name = QueueHeaders.TAGS, required = false) Set<String> tags)
				throws InterruptedException {
			this.tags.put(text, (tags != null) ? tags : Set.of());
			if (text.equals("in hand")) {
				this.inHand.countDown();
				this.goOn.await();
			}
			OutboundMessage message = this.next.get(text);
			if (message != null) {
				queues().send(message);
			}
			RuntimeException failure = this.failing.get(text);
			if (failure != null) {
				throw failure;
			}
		}

		@QueueListener(queues = "${kept}")
		void keep(String text) {
		}

		@QueueListener(topic = "${topic}", group = "one")
		void one(String text) {
			this.copies.add(text);
		}

		@QueueListener(topic = "${topic}", group = "two")
		void two(String text) {
			this.copies.add(text);
		}

	}

}
