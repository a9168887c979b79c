package io.redelay.queue.partition;

import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;

import io.redelay.queue.MessageState;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueClosedException;
import io.redelay.queue.QueueException;
import io.redelay.queue.QueueListener;
import io.redelay.queue.admin.CommandOutcome;
import io.redelay.queue.admin.DeadLetterFilter;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueueInfo;
import io.redelay.queue.admin.QueuePage;
import io.redelay.queue.admin.QueuedMessage;
import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import io.redelay.test.Waiting;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for the administration of a queue of several partitions.
 */
class PartitionAdminIntegrationTests {

	private static final int MESSAGES = 12;

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	private final Handler handler = new Handler();

	private ListenerApplication application;

	private QueueAdmin admin;

	@BeforeEach
	void start() {
		this.application = ListenerApplication.on(redis)
			.with("queue", this.queue)
			.with("redelay.queue.queues." + this.queue + ".partitions", 3)
			.with("redelay.queue.queues." + this.queue + ".auto-startup", "false")
			.with("redelay.queue.queues." + this.queue + ".max-attempts", "1")
			.bean(this.handler)
			.start();
		this.admin = this.application.bean(QueueAdmin.class);
	}

	@AfterEach
	void stop() {
		this.application.close();
	}

	private List<String> sendWithoutId(Duration delay) {
		return IntStream.range(0, MESSAGES)
			.mapToObj((i) -> this.application.queues().send(this.queue, "m" + i, delay).id())
			.toList();
	}

	private List<String> die() {
		List<String> ids = sendWithoutId(Duration.ZERO);
		this.handler.fails = true;
		this.application.container().start();
		Waiting.await().until(() -> this.admin.queues().info(this.queue).dead() == MESSAGES);
		return ids;
	}

	@Test
	void namesTheQueueOnceAndCountsAll() {
		sendWithoutId(Duration.ZERO);
		sendWithoutId(Duration.ofHours(1));
		assertThat(this.admin.queues().names()).contains(this.queue).noneMatch((name) -> name.contains("~"));
		QueueInfo info = this.admin.queues().info(this.queue);
		assertThat(info.queue()).isEqualTo(this.queue);
		assertThat(info.ready()).isEqualTo(MESSAGES);
		assertThat(info.scheduled()).isEqualTo(MESSAGES);
		assertThat(info.nextDue()).isNotNull();
		assertThat(this.admin.queues().infos().get(this.queue).ready()).isEqualTo(MESSAGES);
	}

	@Test
	void findsWhatHasAnIdAndWhatHasNone() {
		for (String id : sendWithoutId(Duration.ZERO)) {
			assertThat(this.admin.messages().find(this.queue, id)).get()
				.extracting(QueuedMessage::queue, QueuedMessage::uid)
				.containsExactly(this.queue, id);
		}
		this.application.queues().send(OutboundMessage.to(this.queue, "x").id("mine"));
		assertThat(this.admin.messages().find(this.queue, "mine")).isPresent();
		assertThat(this.admin.messages().find(this.queue, "nobody's")).isEmpty();
	}

	@Test
	void pagesGoThroughAllPartitions() {
		Set<String> ids = new HashSet<>(sendWithoutId(Duration.ofHours(1)));
		Set<String> seen = new HashSet<>();
		QueuePage page;
		int number = 0;
		do {
			page = this.admin.messages().browse(this.queue, MessageState.SCHEDULED, number++, 5);
			page.messages().forEach((message) -> assertThat(seen.add(message.uid())).isTrue());
			assertThat(page.messages()).hasSizeBetween(1, 5);
		}
		while (page.hasNext());
		assertThat(seen).isEqualTo(ids);
		assertThat(number).isEqualTo(3);
		assertThat(this.admin.messages().browse(this.queue, MessageState.SCHEDULED, 3, 5).messages()).isEmpty();
		assertThat(this.admin.messages().browse(this.queue, MessageState.SCHEDULED, 0, MESSAGES).hasNext()).isFalse();
	}

	@Test
	void cancelsAndReschedulesWhereverAMessageIs() {
		List<String> ids = sendWithoutId(Duration.ofHours(1));
		for (String id : ids) {
			assertThat(this.admin.messages().reschedule(this.queue, id, Duration.ofHours(2)).done()).isTrue();
		}
		assertThat(this.admin.messages().runNow(this.queue, ids.get(2)).done()).isTrue();
		assertThat(this.admin.messages().cancel(this.queue, ids.get(0)).done()).isTrue();
		List<CommandOutcome> outcomes = this.admin.messages().cancelAll(this.queue, ids);
		assertThat(outcomes).hasSize(MESSAGES);
		assertThat(outcomes.get(0).done()).isFalse();
		assertThat(outcomes.subList(1, MESSAGES)).allMatch(CommandOutcome::done);
		assertThat(this.admin.queues().info(this.queue).scheduled()).isZero();
	}

	@Test
	void showsTheDeadOfAllPartitionsTheLastOneFirst() {
		die();
		List<QueuedMessage> dead = this.admin.deadLetters()
			.browse(this.queue, DeadLetterFilter.all(), 0, 100)
			.messages();
		assertThat(dead).hasSize(MESSAGES).allMatch((message) -> message.queue().equals(this.queue));
		assertThat(dead).isSortedAccordingTo((one, other) -> other.diedAt().compareTo(one.diedAt()));
		QueuePage page = this.admin.deadLetters().browse(this.queue, DeadLetterFilter.all(), 1, 5);
		assertThat(page.messages()).extracting(QueuedMessage::uid)
			.containsExactlyElementsOf(dead.subList(5, 10).stream().map(QueuedMessage::uid).toList());
		assertThat(page.hasNext()).isTrue();
		assertThat(this.admin.deadLetters().counts(this.queue)).hasSize(1)
			.allMatch((count) -> count.count() == MESSAGES);
	}

	@Test
	void redrivesOneAndAll() {
		List<String> ids = die();
		this.handler.fails = false;
		this.admin.deadLetters().redrive(this.queue, ids.get(4));
		assertThat(this.admin.deadLetters().redrive(this.queue, DeadLetterFilter.all()).redriven())
			.isEqualTo(MESSAGES - 1);
		Waiting.await().until(() -> this.handler.handled.size() == MESSAGES);
		assertThat(this.admin.queues().info(this.queue).dead()).isZero();
	}

	@Test
	void pausesAndClosesAllPartitions() {
		this.application.queues().send(this.queue, "first");
		this.admin.control().pause(this.queue);
		sendWithoutId(Duration.ZERO);
		this.application.container().start();
		Waiting.await().until(() -> !this.admin.queues().consumers(this.queue).isEmpty());
		assertThat(this.handler.handled).isEmpty();
		this.admin.control().resume(this.queue);
		Waiting.await().until(() -> this.handler.handled.size() == MESSAGES + 1);
		this.admin.control().close(this.queue);
		for (int i = 0; i < 3; i++) {
			assertThatExceptionOfType(QueueClosedException.class)
				.isThrownBy(() -> this.application.queues().send(this.queue, "x"));
		}
		assertThat(this.admin.queues().info(this.queue).closed()).isTrue();
		this.admin.control().reopen(this.queue);
		sendWithoutId(Duration.ZERO);
	}

	@Test
	void namesAConsumerOnce() {
		this.application.container().start();
		this.application.queues().send(this.queue, "x");
		Waiting.await().until(() -> this.handler.handled.size() == 1);
		Waiting.await().until(() -> this.admin.queues().consumers(this.queue).size() == 1);
	}

	@Test
	void purgesAndDeletesAllPartitions() {
		sendWithoutId(Duration.ZERO);
		assertThatExceptionOfType(QueueException.class).isThrownBy(() -> this.admin.control().delete(this.queue));
		assertThat(this.admin.control().purge(this.queue, MessageState.READY)).isEqualTo(MESSAGES);
		this.admin.control().delete(this.queue);
		assertThat(this.admin.queues().names()).doesNotContain(this.queue);
		assertThat(redis.client().getKeys().countExists("redelay:{" + this.queue + "~1}:known")).isZero();
	}

	@Test
	void expiresWhatIsOverdueInAllPartitions() {
		for (int i = 0; i < MESSAGES; i++) {
			this.application.queues().send(OutboundMessage.to(this.queue, "x").timeToLive(Duration.ofMillis(1)));
		}
		Waiting.await().until(() -> this.admin.queues().info(this.queue).dead() == MESSAGES);
	}

	static class Handler {

		final Collection<String> handled = new ConcurrentLinkedQueue<>();

		volatile boolean fails;

		@QueueListener(queues = "${queue}")
		void handle(String payload) {
			if (this.fails) {
				throw new IllegalStateException("It fails");
			}
			this.handled.add(payload);
		}

	}

}
