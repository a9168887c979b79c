package io.redelay.queue.fault;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.redelay.queue.QueueListener;
import io.redelay.test.redis.TcpFaultProxy;
import io.redelay.test.redis.TcpFaultProxy.Direction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What is logged of a Redis that is away, and how soon work goes on when it is back.
 */
@ExtendWith(OutputCaptureExtension.class)
class RedisAwayIntegrationTests extends FaultTests {

	private TcpFaultProxy proxy;

	@BeforeEach
	void startProxy() {
		this.proxy = TcpFaultProxy.to(this.redis);
	}

	@AfterEach
	@Override
	void endAll() throws Exception {
		super.endAll();
		this.proxy.close();
	}

	@Test
	void oneLineReportsThatRedisIsAwayAndOneThatItIsBack(CapturedOutput output) throws InterruptedException {
		// Given up after 1 s, so that listeners have to begin anew.
		ConfigurableApplicationContext application = application(Listeners.class, "1s");
		Listeners listeners = application.getBean(Listeners.class);
		queue(application).send(this.queue, "first");
		assertThat(listeners.handled.poll(2, TimeUnit.MINUTES)).isEqualTo("first");
		await().until(() -> this.redis.command("EXISTS", "redelay:{" + this.queue + "}:messages").equals(0L));
		this.proxy.refuseConnections();
		this.proxy.dropConnections();
		await().until(() -> away(output).size() == 1);
		assertThat(away(output).get(0)).contains("WARN").contains("refused");
		await().pollDelay(Duration.ofSeconds(3)).until(() -> true);
		this.proxy.acceptConnections();
		await().until(() -> back(output).size() == 1);
		assertThat(back(output).get(0)).contains("INFO").contains("2 listener(s) claiming");
		queue(application).send(this.queue, "second");
		assertThat(listeners.handled.poll(2, TimeUnit.MINUTES)).isEqualTo("second");
		assertThat(away(output)).hasSize(1);
		assertThat(output.getAll().lines()).filteredOn((line) -> line.startsWith("\tat ")).isEmpty();
		assertThat(output.getAll().lines()).filteredOn((line) -> line.contains("ERROR")).isEmpty();
	}

	@Test
	void anApplicationThatOnlySendsIsNotifiedToo(CapturedOutput output) {
		ConfigurableApplicationContext application = application(Object.class, "0s");
		queue(application).send(this.queue, "first");
		this.proxy.refuseConnections();
		this.proxy.dropConnections();
		await().until(() -> away(output).size() == 1);
		this.proxy.acceptConnections();
		await().until(() -> back(output).size() == 1);
		assertThat(back(output).get(0)).contains("0 listener(s) claiming");
	}

	@Test
	void aRedisThatIsSilentIsAway(CapturedOutput output) {
		ConfigurableApplicationContext application = application(Listeners.class, "1m");
		queue(application).send(this.queue, "first");
		this.proxy.hold(Direction.TO_CLIENT);
		await().until(() -> away(output).size() == 1);
		assertThat(away(output).get(0)).contains("no answer");
		this.proxy.release(Direction.TO_CLIENT);
		await().until(() -> back(output).size() == 1);
	}

	@Test
	void aConnectionThatIsLostWhileRedisIsThereIsNotReported(CapturedOutput output) throws InterruptedException {
		ConfigurableApplicationContext application = application(Listeners.class, "1m");
		for (int i = 0; i < 5; i++) {
			this.proxy.dropConnections();
			queue(application).send(this.queue, "m" + i);
			assertThat(application.getBean(Listeners.class).handled.poll(2, TimeUnit.MINUTES)).isEqualTo("m" + i);
		}
		assertThat(away(output)).isEmpty();
	}

	private ConfigurableApplicationContext application(Class<?> listeners, String resend) {
		return instance(listeners, "spring.data.redis.url=" + this.proxy.uri(),
				"redelay.queue.resend-timeout=" + resend, "test.other-queue=" + this.queue + "-2");
	}

	private static List<String> away(CapturedOutput output) {
		return output.getAll().lines().filter((line) -> line.contains("Redis has been away")).toList();
	}

	private static List<String> back(CapturedOutput output) {
		return output.getAll().lines().filter((line) -> line.contains("Redis is back after")).toList();
	}

	/**
	 * Two listeners.
	 */
	static class Listeners {

		final BlockingQueue<String> handled = new LinkedBlockingQueue<>();

		@QueueListener("${test.queue}")
		void handle(String payload) {
			this.handled.add(payload);
		}

		@QueueListener("${test.other-queue}")
		void handleOther(String payload) {
		}

	}

}
