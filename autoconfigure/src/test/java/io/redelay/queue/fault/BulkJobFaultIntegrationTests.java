package io.redelay.queue.fault;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.admin.BulkAction;
import io.redelay.queue.admin.BulkJob;
import io.redelay.queue.admin.BulkRequest;
import io.redelay.queue.admin.MessageFilter;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueueInfo;
import io.redelay.test.redis.TcpFaultProxy;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.ApplicationRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Jobs whose instance is killed, or whose Redis is away, goes down or is full while they
 * run.
 */
class BulkJobFaultIntegrationTests extends FaultTests {

	@TempDir
	Path folder;

	@Override
	RedisServer startServer() {
		return RedisServer.builder().appendOnly(this.folder).config("appendfsync always").start();
	}

	@Test
	@Tag("full")
	@Execution(ExecutionMode.CONCURRENT)
	void anotherInstanceGoesOnWhenOneIsKilled() {
		ConfigurableApplicationContext survivor = instance(Nothing.class);
		QueueAdmin admin = survivor.getBean(QueueAdmin.class);
		send(survivor, 600);
		InstanceProcess victim = process(Starter.class, "redelay.queue.instance-name=victim");
		// 100 a second, in steps of 50.
		Awaitility.await().until(() -> doneOf(admin) >= 100);
		victim.kill();
		BulkJob killed = job(admin);
		assertThat(killed.state()).isEqualTo(BulkJob.State.RUNNING);
		assertThat(killed.instance()).isEqualTo("victim");
		BulkJob ended = ended(admin);
		assertThat(ended.state()).isEqualTo(BulkJob.State.DONE);
		assertThat(ended.instance()).isNotEqualTo("victim");
		assertThat(ended.matched()).isEqualTo(ended.done() + ended.refused());
		assertThat(ended.done()).as("but for the step in which it was killed").isBetween(550L, 600L);
		assertThat(ended.refused()).isZero();
		assertCounts(admin, 0, 600);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void goesOnWhenRedisIsThereAgain() throws Exception {
		ConfigurableApplicationContext application = instance(Nothing.class);
		QueueAdmin admin = application.getBean(QueueAdmin.class);
		send(application, 400);
		admin.jobs().start(this.queue, BulkRequest.of(BulkAction.BURY, MessageFilter.all()).perSecond(100));
		Awaitility.await().until(() -> doneOf(admin) >= 50);
		this.redis.kill();
		this.redis.restart();
		BulkJob ended = ended(admin);
		assertThat(ended.state()).isEqualTo(BulkJob.State.DONE);
		assertThat(ended.done()).isBetween(300L, 400L);
		assertCounts(admin, 0, 400);
	}

	@Test
	@Tag("full")
	@Execution(ExecutionMode.CONCURRENT)
	void theInstanceThatIsCutOffForLongerThanItsLeaseCountsNothingTwice() throws Exception {
		try (TcpFaultProxy proxy = TcpFaultProxy.to(this.redis)) {
			ConfigurableApplicationContext cut = instance(Nothing.class, "spring.data.redis.url=" + proxy.uri(),
					"redelay.queue.instance-name=cut");
			ConfigurableApplicationContext other = instance(Nothing.class);
			QueueAdmin admin = other.getBean(QueueAdmin.class);
			send(other, 400);
			cut.getBean(QueueAdmin.class)
				.jobs()
				.start(this.queue, BulkRequest.of(BulkAction.BURY, MessageFilter.all()).perSecond(20));
			Awaitility.await().until(() -> doneOf(admin) >= 10);
			assertThat(job(admin).instance()).isEqualTo("cut");
			proxy.refuseConnections();
			proxy.dropConnections();
			Awaitility.await().until(() -> doneOf(admin) >= 200);
			proxy.acceptConnections();
			BulkJob ended = ended(admin);
			assertThat(ended.state()).isEqualTo(BulkJob.State.DONE);
			assertThat(ended.instance()).isNotEqualTo("cut");
			assertThat(ended.done()).isBetween(380L, 400L);
			assertCounts(admin, 0, 400);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void goesOnWhileRedisIsFull() {
		ConfigurableApplicationContext application = instance(Nothing.class);
		QueueAdmin admin = application.getBean(QueueAdmin.class);
		send(application, 200);
		admin.jobs().start(this.queue, BulkRequest.of(BulkAction.BURY, MessageFilter.all()).perSecond(100));
		Awaitility.await().until(() -> doneOf(admin) >= 50);
		this.redis.command("CONFIG", "SET", "maxmemory", "1");
		BulkJob buried = ended(admin);
		assertThat(buried.state()).as(String.valueOf(buried.failure())).isEqualTo(BulkJob.State.DONE);
		assertThat(buried.done()).isEqualTo(200);
		assertCounts(admin, 0, 200);
		admin.jobs().start(this.queue, BulkRequest.of(BulkAction.DELETE, MessageFilter.all()));
		assertThat(ended(admin).done()).isEqualTo(200);
		assertCounts(admin, 0, 0);
	}

	private void send(ConfigurableApplicationContext application, int count) {
		queue(application).sendAll(IntStream.range(0, count)
			.mapToObj((i) -> OutboundMessage.to(this.queue, "m" + i).delay(Duration.ofHours(1)))
			.toList());
	}

	/**
	 * The job that began last.
	 */
	private BulkJob job(QueueAdmin admin) {
		return admin.jobs().list(this.queue).get(0);
	}

	private long doneOf(QueueAdmin admin) {
		List<BulkJob> jobs = admin.jobs().list(this.queue);
		return jobs.isEmpty() ? 0 : jobs.get(0).done();
	}

	private BulkJob ended(QueueAdmin admin) {
		return Awaitility.await()
			.atMost(3, TimeUnit.MINUTES)
			.ignoreExceptions()
			.until(() -> job(admin), (job) -> job.state() != BulkJob.State.RUNNING);
	}

	private void assertCounts(QueueAdmin admin, long scheduled, long dead) {
		QueueInfo info = admin.queues().info(this.queue);
		assertThat(List.of(info.scheduled(), info.ready(), info.dead())).as("scheduled, ready, dead")
			.isEqualTo(List.of(scheduled, 0L, dead));
	}

	static class Nothing {

	}

	/**
	 * Starts a job as soon as it is there.
	 */
	static class Starter {

		@Bean
		ApplicationRunner start(QueueAdmin admin, @Value("${test.queue}") String queue) {
			return (arguments) -> admin.jobs()
				.start(queue, BulkRequest.of(BulkAction.BURY, MessageFilter.all()).perSecond(100));
		}

	}

}
