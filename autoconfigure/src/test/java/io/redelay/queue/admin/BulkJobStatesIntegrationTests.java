package io.redelay.queue.admin;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;

import io.redelay.queue.MessageState;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.admin.engine.QueueAdminTemplate;
import io.redelay.queue.admin.engine.QueueAdmins;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.ScanScript;
import io.redelay.queue.script.admin.SteerScript;
import io.redelay.queue.wire.RedisAvailability;
import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.doReturn;
import static org.mockito.Mockito.spy;

/**
 * Tests for jobs whose messages move between the search that finds them and the command
 * on them, and for searches that find more than they were asked for.
 */
class BulkJobStatesIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

	private final ListenerApplication application = ListenerApplication.on(redis).start();

	private final QueueAdmin admin = this.application.bean(QueueAdmin.class);

	private Consumer<QueueAdmin> meanwhile = (admin) -> {
	};

	private volatile boolean findsAll;

	private final QueueAdminTemplate delayed = QueueAdmins.of(store(), "delayed");

	@AfterEach
	void close() {
		this.delayed.close();
		this.application.close();
		this.timer.shutdownNow();
	}

	/**
	 * A store whose first request with commands comes when another instance was quicker,
	 * and that may show more messages in a step than were asked for.
	 */
	private AdminScripts store() {
		AdminScripts scripts = spy(new AdminScripts(redis.client(), "redelay", Duration.ofSeconds(10), this.timer,
				ReplayMemory.NONE, new RedisAvailability(this.timer)));
		SteerScript steer = spy(scripts.steer());
		doAnswer((call) -> {
			this.meanwhile.accept(this.admin);
			return call.callRealMethod();
		}).when(steer).openLane(anyString());
		doReturn(steer).when(scripts).steer();
		ScanScript real = scripts.scan();
		ScanScript scan = spy(real);
		doAnswer((call) -> {
			ScanScript.Request asked = call.getArgument(1);
			return real.run(call.getArgument(0), !this.findsAll ? asked : new ScanScript.Request(asked.what(),
					asked.states(), asked.place(), asked.uid(), AdminScripts.MAX_PAGE, asked.since()));
		}).when(scan).run(anyString(), any());
		doReturn(scan).when(scripts).scan();
		return scripts;
	}

	@ParameterizedTest
	@EnumSource(value = BulkAction.class, names = { "CANCEL", "DELETE", "RUN", "BURY", "CHANGE", "RESCHEDULE" })
	void whatDiesMeanwhileStaysDead(BulkAction action) {
		send();
		this.meanwhile = (admin) -> admin.messages().bury(this.queue, "a", "meanwhile");
		assertRefused(run(action));
		assertThat(this.admin.messages().find(this.queue, "a")).get().satisfies((message) -> {
			assertThat(message.state()).isEqualTo(MessageState.DEAD);
			assertThat(message.death()).isNotNull();
			assertThat(message.death().message()).isEqualTo("meanwhile");
		});
	}

	@ParameterizedTest
	@EnumSource(value = BulkAction.class, names = { "CANCEL", "DELETE", "RUN", "BURY", "CHANGE", "RESCHEDULE" })
	void whatIsDueMeanwhileIsNoneOfTheScheduled(BulkAction action) {
		send();
		send("b");
		this.meanwhile = (admin) -> admin.messages().runNow(this.queue, "a");
		BulkJob job = run(action, MessageState.SCHEDULED);
		assertThat(List.of(job.matched(), job.done(), job.refused())).containsExactly(2L, 1L, 1L);
		assertThat(this.admin.messages().find(this.queue, "a")).get().satisfies((message) -> {
			assertThat(message.state()).isEqualTo(MessageState.READY);
			assertThat(message.payloadAsText()).isEqualTo("a");
		});
	}

	@ParameterizedTest
	@EnumSource(value = BulkAction.class, names = { "CANCEL", "DELETE", "REDRIVE" })
	void whatIsRedrivenMeanwhileLivesOn(BulkAction action) {
		// Its uid is its id, by which it is found under its next uid.
		String uid = this.application.queues()
			.send(OutboundMessage.to(this.queue, "a").delay(Duration.ofHours(1)))
			.id();
		this.admin.messages().bury(this.queue, uid, "before");
		this.meanwhile = (admin) -> admin.deadLetters().redrive(this.queue, uid);
		assertRefused(run(action, MessageState.DEAD));
		assertThat(this.admin.messages().find(this.queue, uid)).get()
			.extracting(QueuedMessage::state)
			.isEqualTo(MessageState.READY);
	}

	@ParameterizedTest
	@EnumSource(value = BulkAction.class, names = { "CANCEL", "DELETE", "BURY", "CHANGE", "RESCHEDULE" })
	void whatIsDueMeanwhileIsOneOfTheLiving(BulkAction action) {
		send();
		this.meanwhile = (admin) -> admin.messages().reschedule(this.queue, "a", Duration.ofMinutes(5));
		BulkJob job = run(action);
		assertThat(List.of(job.matched(), job.done(), job.refused())).containsExactly(1L, 1L, 0L);
	}

	@Test
	void whatIsGoneMeanwhileIsNotCounted() {
		send();
		this.meanwhile = (admin) -> admin.messages().cancel(this.queue, "a");
		BulkJob job = run(BulkAction.BURY);
		assertThat(List.of(job.matched(), job.done(), job.refused())).containsExactly(0L, 0L, 0L);
		assertThat(job.seen()).isOne();
	}

	/**
	 * The search does not come back to what it has found.
	 */
	@Test
	void asManyAsMayBeAreChangedOfThoseThatWereFound() {
		for (int i = 0; i < 60; i++) {
			this.application.queues()
				.send(OutboundMessage.to(this.queue, (i % 6 == 0) ? "text" : i).delay(Duration.ofHours(1)));
		}
		this.findsAll = true;
		BulkJob job = ended(this.delayed.jobs()
			.start(this.queue,
					BulkRequest.of(BulkAction.CHANGE, MessageFilter.all())
						.change(MessageChange.none().payload("no JSON"))
						.limit(5)));
		assertThat(job.done()).isEqualTo(5);
		assertThat(job.refused()).isPositive();
		assertThat(job.matched()).isEqualTo(job.done() + job.refused());
	}

	private static void assertRefused(BulkJob job) {
		assertThat(List.of(job.matched(), job.done(), job.refused())).as("matched, done, refused")
			.containsExactly(1L, 0L, 1L);
	}

	private BulkJob run(BulkAction action, MessageState... states) {
		BulkRequest request = BulkRequest.of(action, MessageFilter.all().states(states));
		request = switch (action) {
			case RESCHEDULE -> request.delay(Duration.ofHours(2));
			case CHANGE -> request.change(MessageChange.none().payload("\"changed\""));
			default -> request;
		};
		return ended(this.delayed.jobs().start(this.queue, request));
	}

	private BulkJob ended(BulkJob job) {
		return Awaitility.await()
			.until(() -> this.admin.jobs().find(job.id()).orElseThrow(),
					(each) -> each.state() != BulkJob.State.RUNNING);
	}

	private void send() {
		send("a");
	}

	private void send(String id) {
		this.application.queues().send(OutboundMessage.to(this.queue, id).id(id).delay(Duration.ofHours(1)));
	}

}
