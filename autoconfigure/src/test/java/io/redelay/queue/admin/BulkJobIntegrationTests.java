package io.redelay.queue.admin;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

import io.redelay.queue.Backoff;
import io.redelay.queue.DeathReason;
import io.redelay.queue.MessageState;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueException;
import io.redelay.queue.QueueListener;
import io.redelay.queue.claim.QueueListenerContainer;
import io.redelay.queue.message.DeclaredFilter;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.script.TopicScripts;
import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import io.redelay.test.extent.Extent;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.redisson.api.RedissonClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for jobs that do something with many messages.
 */
class BulkJobIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	private final String wide = TestRedis.queue();

	private final List<ListenerApplication> applications = new ArrayList<>();

	private final Handler handler = new Handler();

	private QueueAdmin admin;

	@BeforeEach
	void start() {
		this.admin = application().bean(QueueAdmin.class);
	}

	@AfterEach
	void close() {
		this.applications.forEach(ListenerApplication::close);
	}

	private ListenerApplication application() {
		return application(redis.client());
	}

	private ListenerApplication application(RedissonClient client) {
		ListenerApplication application = ListenerApplication.on(client)
			.bean(this.handler)
			.with("queue", this.queue)
			.with("redelay.queue.listener.auto-startup", "false")
			.with("redelay.queue.queues." + this.wide + ".partitions", "3")
			.start();
		this.applications.add(application);
		return application;
	}

	@Test
	void buriesRedrivesAndDeletesByFilter() {
		send(this.queue, 1_200,
				(i) -> OutboundMessage.to(this.queue, new Order(i))
					.delay(Duration.ofHours(1))
					.header("tenant", (i % 2 == 0) ? "even" : "odd"));
		BulkJob buried = ended(this.admin.jobs()
			.start(this.queue,
					BulkRequest.of(BulkAction.BURY, MessageFilter.all().header("tenant", "even"))
						.reason("not these")
						.startedBy("ann")));
		assertThat(buried.state()).isEqualTo(BulkJob.State.DONE);
		assertThat(List.of(buried.total(), buried.seen(), buried.matched(), buried.done(), buried.refused()))
			.containsExactly(1_200L, 1_200L, 600L, 600L, 0L);
		assertThat(buried.request().startedBy()).isEqualTo("ann");
		assertThat(buried.endedAt()).isAfterOrEqualTo(buried.startedAt());
		assertThat(this.admin.deadLetters().counts(this.queue)).singleElement().satisfies((count) -> {
			assertThat(count.reason()).isEqualTo(DeathReason.BURIED);
			assertThat(count.message()).isEqualTo("not these");
			assertThat(count.count()).isEqualTo(600);
		});
		BulkJob redriven = ended(this.admin.jobs()
			.start(this.queue,
					BulkRequest.of(BulkAction.REDRIVE, MessageFilter.all().reason(DeathReason.BURIED)).limit(100)));
		assertThat(redriven.done()).isEqualTo(100);
		assertCounts(600, 100, 500);
		assertThat(ended(this.admin.jobs().start(this.queue, BulkRequest.of(BulkAction.DELETE, MessageFilter.all())))
			.done()).isEqualTo(1_200);
		assertCounts(0, 0, 0);
		assertThat(this.admin.jobs().list(this.queue)).extracting((job) -> job.request().action())
			.containsExactly(BulkAction.DELETE, BulkAction.REDRIVE, BulkAction.BURY);
	}

	@Test
	void runsReschedulesChangesAndCancelsWhatWaits() {
		send(this.queue, 60, (i) -> OutboundMessage.to(this.queue, new Order(i)).delay(Duration.ofHours(1)).tag("a"));
		Instant due = Instant.now().plusSeconds(7200).truncatedTo(ChronoUnit.MILLIS);
		assertThat(ended(this.admin.jobs()
			.start(this.queue,
					BulkRequest.of(BulkAction.RESCHEDULE, MessageFilter.all().states(MessageState.SCHEDULED)).due(due)))
			.done()).isEqualTo(60);
		assertThat(ended(this.admin.jobs()
			.start(this.queue, BulkRequest.of(BulkAction.RESCHEDULE, MessageFilter.all()).delay(Duration.ofHours(3))))
			.done()).isEqualTo(60);
		assertThat(this.admin.messages().browse(this.queue, MessageState.SCHEDULED, 0, 100).messages())
			.allMatch((message) -> message.dueAt().isAfter(due));
		assertThat(
				ended(this.admin.jobs()
					.start(this.queue,
							BulkRequest.of(BulkAction.CHANGE, MessageFilter.all())
								.change(MessageChange.none().payload("{\"number\":0}").priority(9))))
					.done())
			.isEqualTo(60);
		assertThat(ended(this.admin.jobs()
			.start(this.queue, BulkRequest.of(BulkAction.RUN, MessageFilter.all().tag("a")).limit(50))).done())
			.isEqualTo(50);
		assertCounts(10, 50, 0);
		assertThat(ended(this.admin.jobs()
			.start(this.queue,
					BulkRequest.of(BulkAction.CHANGE, MessageFilter.all()).change(MessageChange.none().priority(2))))
			.done()).isEqualTo(60);
		assertThat(this.admin.messages().browse(this.queue, MessageState.READY, 0, 100).messages()).hasSize(50)
			.allMatch((message) -> message.priority() == 2 && message.payloadAsText().equals("{\"number\":0}"));
		assertThat(ended(this.admin.jobs().start(this.queue, BulkRequest.of(BulkAction.CANCEL, MessageFilter.all())))
			.done()).isEqualTo(60);
		assertCounts(0, 0, 0);
	}

	@Test
	void goesThroughAllPartitions() {
		send(this.wide, 300, (i) -> OutboundMessage.to(this.wide, new Order(i)).delay(Duration.ofHours(1)));
		assertThat(
				ended(this.admin.jobs().start(this.wide, BulkRequest.of(BulkAction.BURY, MessageFilter.all()))).done())
			.isEqualTo(300);
		assertThat(ended(this.admin.jobs().start(this.wide, BulkRequest.of(BulkAction.REDRIVE, MessageFilter.all())))
			.done()).isEqualTo(300);
		assertThat(this.admin.queues().info(this.wide).ready()).isEqualTo(300);
	}

	@Test
	void leavesAloneWhatCameLater() {
		send(this.queue, 200, (i) -> OutboundMessage.to(this.queue, new Order(i)).delay(Duration.ofHours(1)));
		BulkJob job = this.admin.jobs()
			.start(this.queue, BulkRequest.of(BulkAction.CANCEL, MessageFilter.all()).perSecond(100));
		Awaitility.await().until(() -> this.admin.queues().info(this.queue).scheduled() < 200);
		send(this.queue, 30, (i) -> OutboundMessage.to(this.queue, new Order(i)).delay(Duration.ofHours(1)).tag("new"));
		assertThat(ended(job).done()).isEqualTo(200);
		assertCounts(30, 0, 0);
		assertThat(this.admin.messages().findByTag(this.queue, "new", null, 100).messages()).hasSize(30);
	}

	@Test
	void keepsItsRateAndIsStopped() {
		send(this.queue, 400, (i) -> OutboundMessage.to(this.queue, new Order(i)).delay(Duration.ofHours(1)));
		BulkJob job = this.admin.jobs()
			.start(this.queue, BulkRequest.of(BulkAction.CANCEL, MessageFilter.all()).perSecond(4));
		Awaitility.await().until(() -> this.admin.jobs().find(job.id()).orElseThrow().done() >= 4);
		BulkJob running = this.admin.jobs().find(job.id()).orElseThrow();
		long seconds = Duration.between(job.startedAt(), Instant.now()).toSeconds();
		assertThat(running.state()).isEqualTo(BulkJob.State.RUNNING);
		assertThat(running.instance()).isNotBlank();
		assertThat(running.done()).isLessThanOrEqualTo(4 * (seconds + 5));
		assertThat(this.admin.jobs().stop(job.id())).get().extracting(BulkJob::state).isEqualTo(BulkJob.State.STOPPED);
		assertThat(this.admin.jobs().stop(job.id())).get().extracting(BulkJob::endedAt).isNotNull();
		// The instance is free for others: a step may have been under way.
		BulkJob other = ended(
				this.admin.jobs().start(this.queue, BulkRequest.of(BulkAction.BURY, MessageFilter.all())));
		assertThat(other.done()).isGreaterThan(50);
		assertThat(this.admin.queues().info(this.queue).scheduled()).isZero();
		assertThat(this.admin.jobs().stop("nobody")).isEmpty();
	}

	@Test
	void refusedMessagesDoNotCountTowardsItsLimit() {
		send(this.queue, 10, (i) -> order(i));
		assertThat(
				ended(this.admin.jobs().start(this.queue, BulkRequest.of(BulkAction.BURY, MessageFilter.all()))).done())
			.isEqualTo(10);
		// The ids of the first three and of the last three are others' now.
		send(this.queue, 6, (i) -> order((i < 3) ? i : i + 4));
		BulkJob job = ended(
				this.admin.jobs().start(this.queue, BulkRequest.of(BulkAction.REDRIVE, MessageFilter.all()).limit(4)));
		assertThat(job.done()).isEqualTo(4);
		assertThat(job.refused()).isEqualTo(3);
		assertThat(this.admin.queues().info(this.queue).dead()).isEqualTo(6);
	}

	@Test
	void refusesAPayloadThatNoMessageCanHave() {
		send(this.queue, 30, (i) -> OutboundMessage.to(this.queue, new Order(i)).delay(Duration.ofHours(1)));
		refused("'payload' must be one JSON value",
				BulkRequest.of(BulkAction.CHANGE, MessageFilter.all()).change(MessageChange.none().payload("{")));
		refused("'payload' must be one JSON value",
				BulkRequest.of(BulkAction.CHANGE, MessageFilter.all()).change(MessageChange.none().payload("{} {}")));
		refused("'payload' must be one JSON value",
				BulkRequest.of(BulkAction.CHANGE, MessageFilter.all()).change(MessageChange.none().payload("")));
		assertThat(this.admin.jobs().list(this.queue)).isEmpty();
	}

	@Test
	void changesEachMessageOnceThoughItsPriorityMovesIt() {
		send(this.queue, 600, (i) -> OutboundMessage.to(this.queue, new Order(i)));
		BulkJob job = ended(this.admin.jobs()
			.start(this.queue, BulkRequest.of(BulkAction.CHANGE, MessageFilter.all())
				.change(MessageChange.none().attempts(7).priority(9))));
		assertThat(List.of(job.matched(), job.done(), job.refused())).containsExactly(600L, 600L, 0L);
	}

	@Test
	void runsAMessageOnceThatFailsAgain() {
		this.handler.fails = true;
		this.applications.get(0).registry().getContainers().forEach(QueueListenerContainer::start);
		// Due before their second attempt: the job goes through them as they are due, and
		// comes to those that have failed.
		send(this.queue, 50, (i) -> OutboundMessage.to(this.queue, new Order(i)).delay(Duration.ofMinutes(5)));
		// Slow enough for its messages to fail and to wait again before it ends.
		BulkJob job = ended(
				this.admin.jobs().start(this.queue, BulkRequest.of(BulkAction.RUN, MessageFilter.all()).perSecond(40)));
		assertThat(List.of(job.matched(), job.done())).containsExactly(50L, 50L);
		Awaitility.await().until(() -> this.handler.handled.size() >= 50);
		// Another job does so: they go past their backoff.
		assertThat(
				ended(this.admin.jobs().start(this.queue, BulkRequest.of(BulkAction.RUN, MessageFilter.all()))).done())
			.isPositive();
		Awaitility.await().until(() -> this.handler.handled.size() > 50);
	}

	@Test
	void actsOnTheGroupOfATopic() {
		TopicScripts topics = this.applications.get(0).bean(QueueScripts.class).topics();
		topics.subscribe().run(this.queue, "billing", Duration.ZERO, DeclaredFilter.NONE).join();
		topics.subscribe().run(this.queue, "mail", Duration.ZERO, DeclaredFilter.NONE).join();
		for (int i = 0; i < 20; i++) {
			this.applications.get(0)
				.queues()
				.publish(OutboundMessage.to(this.queue, new Order(i)).delay(Duration.ofHours(1)).tag("a"));
		}
		String group = this.queue + "@billing";
		assertThat(ended(this.admin.jobs().start(group, BulkRequest.of(BulkAction.BURY, MessageFilter.all().tag("a"))))
			.done()).isEqualTo(20);
		assertThat(this.admin.queues().info(group).dead()).isEqualTo(20);
		assertThat(
				ended(this.admin.jobs().start(group, BulkRequest.of(BulkAction.REDRIVE, MessageFilter.all()))).done())
			.isEqualTo(20);
		assertThat(this.admin.queues().info(group).ready()).isEqualTo(20);
		assertThat(this.admin.queues().info(this.queue + "@mail").scheduled()).isEqualTo(20);
		assertThat(this.admin.jobs().list(group)).hasSize(2);
	}

	private OutboundMessage order(int number) {
		return OutboundMessage.to(this.queue, new Order(number)).id("order-" + number).delay(Duration.ofHours(1));
	}

	@Test
	void twoJobsOnOneQueueDealWithEachMessageOnce() {
		send(this.queue, 2_000, (i) -> OutboundMessage.to(this.queue, new Order(i)).delay(Duration.ofHours(1)));
		BulkJob bury = this.admin.jobs().start(this.queue, BulkRequest.of(BulkAction.BURY, MessageFilter.all()));
		BulkJob cancel = this.admin.jobs().start(this.queue, BulkRequest.of(BulkAction.CANCEL, MessageFilter.all()));
		assertThat(ended(bury).done() + ended(cancel).done()).isEqualTo(2_000);
		assertThat(this.admin.queues().info(this.queue).dead()).isEqualTo(ended(bury).done());
	}

	@Test
	void endsWhenItsQueueIsDeleted() {
		send(this.queue, 400, (i) -> OutboundMessage.to(this.queue, new Order(i)).delay(Duration.ofHours(1)));
		BulkJob job = this.admin.jobs()
			.start(this.queue, BulkRequest.of(BulkAction.CANCEL, MessageFilter.all()).perSecond(4));
		Awaitility.await().until(() -> this.admin.jobs().find(job.id()).orElseThrow().done() > 0);
		this.admin.control().deleteWithMessages(this.queue);
		BulkJob failed = ended(job);
		assertThat(failed.state()).isEqualTo(BulkJob.State.FAILED);
		assertThat(failed.failure()).isEqualTo("The queue '" + this.queue + "' was deleted");
	}

	@Test
	void anotherInstanceGoesOnWhenOneDies() {
		RedissonClient client = TestRedis.connect(redis.uri());
		ListenerApplication doomed = application(client);
		int messages = Extent.of(60, 120);
		send(this.queue, messages, (i) -> OutboundMessage.to(this.queue, new Order(i)).delay(Duration.ofHours(1)));
		BulkJob job = doomed.bean(QueueAdmin.class)
			.jobs()
			.start(this.queue, BulkRequest.of(BulkAction.BURY, MessageFilter.all()).perSecond(20));
		Awaitility.await().until(() -> this.admin.jobs().find(job.id()).orElseThrow().done() >= 10);
		// It cannot say good-bye: nothing of it reaches Redis any more.
		client.shutdown();
		assertThat(ended(job).state()).isEqualTo(BulkJob.State.DONE);
		assertCounts(0, 0, messages);
	}

	@Test
	void anotherInstanceGoesOnWhenOneCloses() {
		ListenerApplication leaving = application();
		send(this.queue, 60, (i) -> OutboundMessage.to(this.queue, new Order(i)).delay(Duration.ofHours(1)));
		BulkJob job = leaving.bean(QueueAdmin.class)
			.jobs()
			.start(this.queue, BulkRequest.of(BulkAction.CANCEL, MessageFilter.all()).perSecond(10));
		leaving.close();
		assertThat(ended(job).state()).isEqualTo(BulkJob.State.DONE);
		assertCounts(0, 0, 0);
	}

	@Test
	void refusesWhatCannotBeMeant() {
		send(this.queue, 1, (i) -> OutboundMessage.to(this.queue, new Order(i)));
		refused("'delay' or 'due' is missing", BulkRequest.of(BulkAction.RESCHEDULE, MessageFilter.all()));
		refused("'change' is missing", BulkRequest.of(BulkAction.CHANGE, MessageFilter.all()));
		refused("'delay' and 'due' are for RESCHEDULE only",
				BulkRequest.of(BulkAction.RUN, MessageFilter.all()).delay(Duration.ZERO));
		refused("'reason' is for BURY only", BulkRequest.of(BulkAction.RUN, MessageFilter.all()).reason("why"));
		refused("too long", BulkRequest.of(BulkAction.CHANGE, MessageFilter.all())
			.change(MessageChange.none().payload("x".repeat(20_000))));
		assertThatIllegalArgumentException()
			.isThrownBy(() -> BulkRequest.of(BulkAction.REDRIVE, MessageFilter.all().states(MessageState.READY)))
			.withMessageContaining("'state' must not be READY");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> BulkRequest.of(BulkAction.RUN, MessageFilter.all()).perSecond(0))
			.withMessageContaining("'perSecond' must be 0.1 to 100,000");
		assertThatExceptionOfType(QueueException.class).isThrownBy(() -> this.admin.jobs()
			.start("nobody-" + this.queue, BulkRequest.of(BulkAction.RUN, MessageFilter.all())));
	}

	private void refused(String message, BulkRequest request) {
		assertThatIllegalArgumentException().isThrownBy(() -> this.admin.jobs().start(this.queue, request))
			.withMessageContaining(message);
	}

	private BulkJob ended(BulkJob job) {
		return Awaitility.await()
			.atMost(Duration.ofMinutes(3))
			.until(() -> this.admin.jobs().find(job.id()).orElseThrow(),
					(each) -> each.state() != BulkJob.State.RUNNING);
	}

	private void assertCounts(long scheduled, long ready, long dead) {
		QueueInfo info = this.admin.queues().info(this.queue);
		assertThat(List.of(info.scheduled(), info.ready(), info.dead())).as("scheduled, ready, dead")
			.isEqualTo(List.of(scheduled, ready, dead));
	}

	private void send(String queue, int count, IntFunction<OutboundMessage> message) {
		List<OutboundMessage> messages = IntStream.range(0, count).mapToObj(message).toList();
		this.applications.get(0).queues().sendAll(messages);
		assertThat(Collections.unmodifiableList(messages)).allMatch((each) -> each.queue().equals(queue));
	}

	record Order(int number) {

	}

	static class Handler {

		final Queue<Order> handled = new ConcurrentLinkedQueue<>();

		volatile boolean fails;

		@QueueListener(queues = "${queue}", backoff = @Backoff(initialInterval = "10m"), concurrency = "8")
		void handle(Order order) {
			this.handled.add(order);
			if (this.fails) {
				throw new IllegalStateException("no");
			}
		}

	}

}
