package io.redelay.queue.admin;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;

import io.redelay.queue.DeathReason;
import io.redelay.queue.MessageState;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueException;
import io.redelay.queue.QueueListener;
import io.redelay.queue.RejectMessageException;
import io.redelay.queue.work.DeliveryInfo;
import io.redelay.test.ListenerApplication;
import io.redelay.test.QueueState;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for browsing dead messages and letting them live again.
 */
class RedriveIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	private final QueueState state = QueueState.of(redis, this.queue);

	private final Handler handler = new Handler();

	private ListenerApplication application;

	private QueueAdmin admin;

	@BeforeEach
	void start() {
		this.application = ListenerApplication.on(redis)
			.bean(this.handler)
			.with("queue", this.queue)
			.with("redelay.queue.listener.max-attempts", "2")
			.start();
		this.admin = this.application.bean(QueueAdmin.class);
	}

	@AfterEach
	void close() {
		this.application.close();
	}

	@Test
	void aDeadMessageLivesAgainWithNoFailureCounted() {
		this.handler.failing.put("x", new IOException("no such host"));
		die("x");
		QueuedMessage dead = this.admin.messages().find(this.queue, "x").orElseThrow();
		assertThat(dead.death().exception()).isEqualTo(IOException.class.getName());
		assertThat(dead.failures()).isEqualTo(2);
		this.handler.failing.clear();
		this.admin.deadLetters().redrive(this.queue, "x");
		this.state.awaitDrained();
		assertThat(this.handler.handled).containsExactly("x attempt 1");
		assertThat(this.admin.queues().info(this.queue).dead()).isZero();
		assertThat(this.admin.messages().find(this.queue, "x")).isEmpty();
	}

	@Test
	void aMessageThatWasBuriedBeforeItsTimeIsDueThenAgain() {
		Instant due = Instant.now().plus(Duration.ofHours(1)).truncatedTo(ChronoUnit.MILLIS);
		this.application.queues().send(OutboundMessage.to(this.queue, "x").id("x").dueAt(due));
		this.admin.messages().bury(this.queue, "x", "not yet");
		assertThat(this.admin.queues().info(this.queue).dead()).isOne();
		this.admin.deadLetters().redriveAt(this.queue, "x", due);
		QueuedMessage again = this.admin.messages().find(this.queue, "x").orElseThrow();
		assertThat(again.state()).isEqualTo(MessageState.SCHEDULED);
		assertThat(again.dueAt()).isEqualTo(due);
		assertThat(this.handler.handled).isEmpty();
		assertThatExceptionOfType(QueueException.class)
			.isThrownBy(() -> this.admin.deadLetters().redriveAt(this.queue, "x", due))
			.withMessageContaining("SCHEDULED and not dead");
		this.admin.messages().cancel(this.queue, "x");
	}

	@Test
	void anUnnamedMessageKeepsItsName() {
		this.handler.failing.put("unnamed", new IOException("no"));
		String id = this.application.queues().send(this.queue, "unnamed").id();
		awaitDead(1);
		this.handler.failing.clear();
		this.admin.deadLetters().redrive(this.queue, id);
		this.state.awaitDrained();
		assertThat(this.handler.ids).containsExactly(id);
	}

	@Test
	void onlyTheDeadAreRedriven() {
		this.application.queues().send(OutboundMessage.to(this.queue, "later").id("later").delay(Duration.ofHours(1)));
		assertThatExceptionOfType(QueueException.class)
			.isThrownBy(() -> this.admin.deadLetters().redrive(this.queue, "later"))
			.withMessageContaining("'later'")
			.withMessageContaining(this.queue)
			.withMessageContaining("SCHEDULED and not dead")
			.withMessageContaining("runNow");
		assertThatExceptionOfType(QueueException.class)
			.isThrownBy(() -> this.admin.deadLetters().redrive(this.queue, "never sent"))
			.withMessageContaining("there is no such message");
	}

	@Test
	void aDeadMessageWhoseIdIsTakenStaysDead() {
		this.handler.failing.put("x", new IOException("no"));
		die("x");
		String uid = this.admin.messages().find(this.queue, "x").orElseThrow().uid();
		this.application.queues().send(OutboundMessage.to(this.queue, "x").id("x").delay(Duration.ofHours(1)));
		assertThat(this.admin.messages().find(this.queue, "x")).get()
			.extracting(QueuedMessage::state)
			.isEqualTo(MessageState.SCHEDULED);
		assertThatExceptionOfType(QueueException.class)
			.isThrownBy(() -> this.admin.deadLetters().redrive(this.queue, uid))
			.withMessageContaining("another message has its id");
		assertThat(this.admin.deadLetters().redrive(this.queue, DeadLetterFilter.all()))
			.isEqualTo(new RedriveResult(0, List.of(uid)));
		this.admin.messages().cancel(this.queue, "x");
		this.handler.failing.clear();
		this.admin.deadLetters().redrive(this.queue, uid);
		this.state.awaitDrained();
		assertThat(this.handler.ids).containsExactly("x");
	}

	@Test
	void aDeadMessageHasItsIdBackOnceANewerOneWasHandled() {
		String first = dieAgain("x");
		handleAgain("x");
		assertThat(this.admin.messages().find(this.queue, "x")).get().extracting(QueuedMessage::uid).isEqualTo(first);
		String second = dieAgain("x");
		handleAgain("x");
		assertThat(this.admin.messages().find(this.queue, "x")).get().extracting(QueuedMessage::uid).isEqualTo(second);
		assertThat(this.admin.messages().cancel(this.queue, "x").done()).isTrue();
		assertThat(this.admin.messages().find(this.queue, "x")).get().extracting(QueuedMessage::uid).isEqualTo(first);
		this.admin.deadLetters().redrive(this.queue, "x");
		this.state.awaitDrained();
		assertThat(this.handler.ids).containsExactly("x", "x", "x");
		assertThat(this.admin.queues().info(this.queue).dead()).isZero();
		assertThat(this.admin.messages().find(this.queue, "x")).isEmpty();
	}

	@Test
	void anIdThatBeginsLikeAnotherIsAnother() {
		List<String> ids = List.of("x", "x1", "x\u0001", "1:x", "xé");
		for (String id : ids) {
			dieAgain(id);
			handleAgain(id);
		}
		assertThat(ids).allSatisfy((id) -> assertThat(this.admin.messages().find(this.queue, id)).get()
			.extracting(QueuedMessage::id, QueuedMessage::state)
			.containsExactly(id, MessageState.DEAD));
		assertThat(this.admin.control().purge(this.queue, MessageState.DEAD)).isEqualTo(5);
		assertThat(this.admin.messages().find(this.queue, "x")).isEmpty();
		assertThat(redis.client().getKeys().countExists("redelay:{" + this.queue + "}:dead:ids")).isZero();
	}

	@Test
	void aMessageRedrivenInsteadOfANewerOneLeavesThatItsId() {
		String older = dieAgain("x");
		String newer = dieAgain("x");
		this.handler.failing.clear();
		this.admin.deadLetters().redrive(this.queue, older);
		this.state.awaitDrained();
		assertThat(this.admin.messages().find(this.queue, "x")).get().extracting(QueuedMessage::uid).isEqualTo(newer);
	}

	private String dieAgain(String id) {
		this.handler.failing.put(id, new RejectMessageException("no"));
		die(id);
		return this.admin.messages().find(this.queue, id).orElseThrow().uid();
	}

	private void handleAgain(String id) {
		this.handler.failing.clear();
		this.application.queues().send(OutboundMessage.to(this.queue, id).id(id));
		this.state.awaitDrained();
	}

	@Test
	void someAreChosenByTheirCause() {
		this.handler.failing.put("timeout", new IllegalStateException("timed out after 3 s"));
		this.handler.failing.put("refused", new IllegalStateException("connection refused"));
		this.handler.failing.put("io", new IOException("disk full"));
		this.handler.failing.put("rejected", new RejectMessageException("not ours"));
		die("timeout", "refused", "io", "rejected");
		assertThat(letters(DeadLetterFilter.all().exception(IOException.class.getName()))).containsExactly("io");
		assertThat(letters(DeadLetterFilter.all().reason(DeathReason.REJECTED))).containsExactly("rejected");
		assertThat(letters(DeadLetterFilter.all().text("refused"))).containsExactly("refused");
		QueuedMessage io = this.admin.messages().find(this.queue, "io").orElseThrow();
		assertThat(letters(DeadLetterFilter.all().diedAfter(io.diedAt()))).contains("io");
		assertThat(letters(DeadLetterFilter.all().diedBefore(io.diedAt()))).doesNotContain("io");
		assertThat(letters(DeadLetterFilter.all().limit(2))).hasSize(2);
		assertThat(this.admin.deadLetters().counts(this.queue)).first().satisfies((counted) -> {
			assertThat(counted.count()).isEqualTo(2);
			assertThat(counted.exception()).isEqualTo(IllegalStateException.class.getName());
		});
		this.handler.failing.clear();
		assertThat(this.admin.deadLetters()
			.redrive(this.queue, DeadLetterFilter.all().exception(IOException.class.getName())))
			.isEqualTo(new RedriveResult(1, List.of()));
		this.state.awaitDrained();
		assertThat(this.handler.handled).containsExactly("io attempt 1");
		assertThat(this.admin.queues().info(this.queue).dead()).isEqualTo(3);
	}

	@Test
	void allAreRedrivenInTheOrderOfTheirDeaths() {
		List<String> texts = IntStream.range(0, 700).mapToObj((i) -> "m" + i).toList();
		texts.forEach((text) -> this.handler.failing.put(text, new RejectMessageException("no")));
		this.application.queues()
			.sendAll(texts.stream().map((text) -> OutboundMessage.to(this.queue, text).id(text)).toList());
		awaitDead(700);
		assertThat(this.admin.deadLetters().browse(this.queue, DeadLetterFilter.all(), 1, 500).messages()).hasSize(200);
		this.handler.failing.clear();
		assertThat(this.admin.deadLetters().redrive(this.queue, DeadLetterFilter.all()).redriven()).isEqualTo(700);
		this.state.awaitDrained();
		assertThat(this.handler.handled).hasSize(700).doesNotHaveDuplicates();
		assertThat(this.admin.queues().info(this.queue).dead()).isZero();
	}

	@Test
	void aLimitShowsTheNewestAndRedrivesTheOldest() {
		for (String text : List.of("a", "b", "c")) {
			this.handler.failing.put(text, new RejectMessageException("no"));
			die(text);
		}
		DeadLetterFilter two = DeadLetterFilter.all().limit(2);
		assertThat(letters(two)).containsExactly("c", "b");
		this.handler.failing.clear();
		assertThat(this.admin.deadLetters().redrive(this.queue, two).redriven()).isEqualTo(2);
		this.state.awaitDrained();
		assertThat(this.handler.ids).containsExactlyInAnyOrder("a", "b");
		assertThat(letters(DeadLetterFilter.all())).containsExactly("c");
	}

	@Test
	void aRateSpreadsThemOverTime() {
		for (String text : List.of("a", "b", "c", "d")) {
			this.handler.failing.put(text, new RejectMessageException("no"));
			die(text);
		}
		this.handler.failing.clear();
		this.admin.control().pause(this.queue);
		assertThat(this.admin.deadLetters().redrive(this.queue, DeadLetterFilter.all(), 0.01).redriven()).isEqualTo(4);
		QueueInfo info = this.admin.queues().info(this.queue);
		assertThat(info.ready()).isOne();
		assertThat(info.scheduled()).isEqualTo(3);
		List<QueuedMessage> scheduled = this.admin.messages()
			.browse(this.queue, MessageState.SCHEDULED, 0, 10)
			.messages();
		assertThat(Duration.between(scheduled.get(0).dueAt(), scheduled.get(2).dueAt()))
			.isBetween(Duration.ofSeconds(199), Duration.ofSeconds(201));
		assertThat(scheduled).extracting(QueuedMessage::id).containsExactly("b", "c", "d");
	}

	@Test
	void badInputIsRefused() {
		this.application.queues().send(this.queue, "x");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.admin.deadLetters().redrive(this.queue, DeadLetterFilter.all(), -1))
			.withMessageContaining("'perSecond'")
			.withMessageContaining("-1");
		assertThatIllegalArgumentException().isThrownBy(() -> DeadLetterFilter.all().limit(0))
			.withMessageContaining("'limit'");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.admin.deadLetters().browse(this.queue, DeadLetterFilter.all(), -1, 10))
			.withMessageContaining("'page'");
	}

	private List<String> letters(DeadLetterFilter filter) {
		return this.admin.deadLetters()
			.browse(this.queue, filter, 0, 100)
			.messages()
			.stream()
			.map(QueuedMessage::id)
			.toList();
	}

	private void die(String... texts) {
		long dead = this.admin.queues().names().contains(this.queue) ? this.admin.queues().info(this.queue).dead() : 0;
		for (String text : texts) {
			this.application.queues().send(OutboundMessage.to(this.queue, text).id(text));
		}
		awaitDead(dead + texts.length);
	}

	private void awaitDead(long count) {
		Awaitility.await()
			.untilAsserted(() -> assertThat(this.admin.queues().info(this.queue).dead()).isEqualTo(count));
	}

	static class Handler {

		final Map<String, Exception> failing = new ConcurrentHashMap<>();

		final List<String> handled = new CopyOnWriteArrayList<>();

		final List<String> ids = new CopyOnWriteArrayList<>();

		@QueueListener(queues = "${queue}")
		void handle(String text, DeliveryInfo delivery) throws Exception {
			if (this.failing.containsKey(text)) {
				throw this.failing.get(text);
			}
			this.handled.add(text + " attempt " + delivery.attempt());
			this.ids.add(delivery.id());
		}

	}

}
