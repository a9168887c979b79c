package io.redelay.console;

import java.util.concurrent.CountDownLatch;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import io.redelay.test.browser.Browser;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A console beside an application whose handler works on a message: one source with all
 * rights, and one with the user of the guide. The console asks the application nothing.
 */
class RunningApplicationIntegrationTests {

	@RegisterExtension
	static final Browser browser = new Browser();

	private static final CountDownLatch begun = new CountDownLatch(1);

	private static final CountDownLatch end = new CountDownLatch(1);

	private static RedisServer shop;

	private static ConfigurableApplicationContext application;

	private static Console console;

	@BeforeAll
	static void start() throws Exception {
		shop = RedisServer.start();
		ConsoleIntegrationTests.addUserOfTheGuide(shop);
		application = new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.properties("redelay.queue.instance-name=shop-1")
			.run("--spring.data.redis.url=" + shop.uri());
		application.getBean(QueueOperations.class).send("payments", "slow");
		begun.await();
		console = Console.start("all.url=" + shop.uri(), "guide.host=" + shop.host(), "guide.port=" + shop.port(),
				"guide.username=console", "guide.password=change-me", "management.endpoint.queues.show-stacks=always");
		for (String source : new String[] { "all", "guide" }) {
			await().ignoreExceptions().until(() -> console.isConnected(source));
			await().until(() -> !console.json(source + "/queues/payments/running").path("silent").isEmpty());
		}
	}

	@AfterAll
	static void stop() {
		end.countDown();
		console.close();
		application.close();
		shop.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "all", "guide" })
	void noInstanceIsAsked(String source) throws Exception {
		JsonNode running = console.json(source + "/queues/payments/running");
		assertThat(running.path("silent").valueStream().map((each) -> each.path("name").asString()))
			.containsExactly("shop-1");
		assertThat(running.path("messages")).hasSize(1);
		assertThat(running.path("messages").path(0).has("runningMillis")).isFalse();
		JsonNode all = console.json(source + "/queues/-/running");
		assertThat(all.path("silent")).hasSize(1);
		assertThat(all.path("messages")).isEmpty();
		String uid = running.path("messages").path(0).path("uid").asString();
		assertThat(console.get(source + "/queues/payments/running/" + uid).statusCode()).isEqualTo(403);
		assertThat(shop.command("ACL", "LOG")).asString().isEqualTo("[]");
	}

	@ParameterizedTest
	@ValueSource(strings = { "#/running", "#/queues/payments/running" })
	void thePageSaysThatTheConsoleAsksNone(String view) {
		browser.open(console.address("guide/redelay" + view));
		browser.see("section[aria-label='Instances that are not asked']",
				"shop-1 listens here. The console asks no instances what their handlers do.");
		assertThat(browser.see("main").getText()).doesNotContain("No answer", "Nothing runs now",
				"does not reach Redis");
		assertThat(browser.barriers()).isEmpty();
	}

	/**
	 * Works on a message until the test ends.
	 */
	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		@QueueListener(queues = "payments")
		void pay(String payment) throws InterruptedException {
			begun.countDown();
			end.await();
		}

	}

}
