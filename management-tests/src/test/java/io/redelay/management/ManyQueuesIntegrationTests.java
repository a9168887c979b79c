package io.redelay.management;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.redelay.queue.QueueOperations;
import io.redelay.queue.admin.QueueSnapshots;
import io.redelay.test.browser.Browser;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.redisson.api.RedissonClient;
import org.redisson.api.redisnode.RedisNode;
import org.redisson.api.redisnode.RedisNodes;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The dashboard of an application with a thousand queues: what it loads, what it asks of
 * Redis, and how much it shows at a time.
 */
class ManyQueuesIntegrationTests {

	private static final int QUEUES = 1000;

	private static final int ROWS = 50;

	private static final Duration LONG = Duration.ofMinutes(2);

	@RegisterExtension
	static final Browser browser = new Browser();

	private static ConfigurableApplicationContext application;

	private static String page;

	@BeforeAll
	static void start() {
		SpringApplication spring = new SpringApplication(ManyQueues.class);
		spring.setDefaultProperties(Map.of("server.port", "0", "redelay.embedded-redis.port", "0",
				"management.endpoints.web.exposure.include", "redelay,queues,locks", "management.opentelemetry.enabled",
				"false", "management.otlp.metrics.export.enabled", "false", "spring.main.banner-mode", "off"));
		application = spring.run();
		page = "http://localhost:" + ((WebServerApplicationContext) application).getWebServer().getPort()
				+ "/actuator/redelay#/";
		QueueOperations queues = application.getBean(QueueOperations.class);
		for (int i = 0; i < QUEUES; i++) {
			queues.send("tenant-" + i, "a message");
		}
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@Test
	void firstLoadIsLightAndShowsABoundedNumberOfRows() {
		browser.open(page);
		browser.see("tbody tr");
		assertThat(browser.read(".pager")).contains("1–50 of 1,000 queues");
		assertThat(browser.all("tbody tr")).hasSize(ROWS);
		assertThat((Long) browser.script("return document.querySelectorAll('*').length")).isLessThan(3000);
		assertThat((Long) browser.script("""
				return performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation'))
				    .reduce((sum, { decodedBodySize }) => sum + decodedBodySize, 0);
				""")).as("bytes of all files and answers of the first load").isBetween(60_000L, 200_000L);
		assertThat(
				((Number) browser.script("return performance.getEntriesByName('first-contentful-paint')[0].startTime"))
					.doubleValue())
			.as("milliseconds to the first paint")
			.isLessThan(30_000);
	}

	@Test
	void refreshAsksOnceAndRedisForLittle() {
		application.getBean(QueueSnapshots.class).latest();
		browser.open(page);
		browser.see("tbody tr");
		List<Long> requests = new ArrayList<>();
		List<Long> scripts = new ArrayList<>();
		List<Long> commands = new ArrayList<>();
		for (int i = 0; i < 5; i++) {
			long requestsBefore = requests();
			long scriptsBefore = calls("eval");
			long commandsBefore = calls("");
			browser.driver()
				.executeAsyncScript(
						"""
								const done = arguments[0];
								const before = document.getElementById('updated').firstChild;
								const look = () => document.getElementById('updated').firstChild !== before ? done() : setTimeout(look, 20);
								document.dispatchEvent(new Event('visibilitychange'));
								look();
								""");
			commands.add(calls("") - commandsBefore);
			scripts.add(calls("eval") - scriptsBefore);
			requests.add(requests() - requestsBefore);
		}
		assertThat(requests).as("requests of the list and the bar a refresh")
			.allMatch(count -> count <= 4)
			.anyMatch(count -> count <= 2);
		assertThat(scripts)
			.as("scripts a refresh, of which one in ten seconds looks at all queues: %s commands", commands)
			.allMatch(count -> count <= QUEUES + 2 * ROWS)
			.anyMatch(count -> count <= 2 * ROWS);
		assertThat(commands).as("commands a refresh, those in scripts as well").anyMatch(count -> count <= 20 * ROWS);
	}

	@Test
	void theBarAsksRedisForLittleBesideTheSharedLook() {
		HttpRequest status = HttpRequest
			.newBuilder(URI.create(page.replace("/actuator/redelay#/", "/actuator/queues/-/status")))
			.build();
		List<Long> commands = new ArrayList<>();
		await().atMost(LONG).untilAsserted(() -> {
			application.getBean(QueueSnapshots.class).latest();
			long before = calls("");
			String answer = HttpClient.newHttpClient().send(status, HttpResponse.BodyHandlers.ofString()).body();
			commands.add(calls("") - before);
			assertThat(answer).contains("\"queues\":" + QUEUES).hasSizeLessThan(1000);
			assertThat(commands).as("for all readers together").anyMatch((count) -> count <= 12);
		});
	}

	/**
	 * Other work of the application adds to most of the counts on a slow machine.
	 */
	@Test
	void aRefreshOfAQueueTakesAsFewCommandsWhateverItsHistory() {
		String queue = page.replace("/actuator/redelay#/", "/actuator/queues/tenant-1");
		for (Map.Entry<String, Long> most : Map
			.of(queue, 160L, queue + "/history?span=DAY", 30L, queue + "/history?span=MONTH", 30L)
			.entrySet()) {
			List<Long> commands = new ArrayList<>();
			await().atMost(LONG).untilAsserted(() -> {
				long before = calls("");
				String answer = HttpClient.newHttpClient()
					.send(HttpRequest.newBuilder(URI.create(most.getKey())).build(),
							HttpResponse.BodyHandlers.ofString())
					.body();
				commands.add(calls("") - before);
				assertThat(answer).contains("\"stepMillis\":").hasSizeLessThan(30_000);
				assertThat(commands).as("%s: %s characters", most.getKey(), answer.length())
					.anyMatch((count) -> count <= most.getValue());
			});
		}
	}

	@Test
	void nameIsFoundAmongAllQueues() {
		browser.open(page);
		browser.see("#filter-name").sendKeys("tenant-99");
		browser.see(".lead", "11 queues");
		assertThat(browser.all("tbody tr")).hasSize(11);
		browser.click("tbody a", "tenant-997");
		browser.see("main h1", "tenant-997");
	}

	private static long requests() {
		return (Long) browser.script("return performance.getEntriesByType('resource').length");
	}

	/** How often commands were called whose names begin so, those in scripts as well. */
	private static long calls(String name) {
		Map<String, String> info = application.getBean(RedissonClient.class)
			.getRedisNodes(RedisNodes.SINGLE)
			.getInstance()
			.info(RedisNode.InfoSection.COMMANDSTATS);
		return info.entrySet()
			.stream()
			.filter(entry -> entry.getKey().startsWith("cmdstat_" + name) && !entry.getKey().equals("cmdstat_info"))
			.mapToLong(entry -> Long.parseLong(entry.getValue().replaceFirst("^calls=(\\d+),.*$", "$1")))
			.sum();
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class ManyQueues {

		@Bean
		SecurityFilterChain everybodyMayRead(HttpSecurity http) {
			return http.authorizeHttpRequests(requests -> requests.anyRequest().permitAll()).build();
		}

	}

}
