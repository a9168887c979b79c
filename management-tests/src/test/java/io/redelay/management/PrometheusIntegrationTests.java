package io.redelay.management;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.redelay.lock.MyLock;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.event.RedisRolledBackEvent;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.test.annotation.DirtiesContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What Prometheus gets of an application, and that the dashboard and the alerts in
 * {@code docs/monitoring} ask for nothing else.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
		properties = { "spring.main.web-application-type=servlet", "management.otlp.metrics.export.enabled=false",
				"management.tracing.export.enabled=false", "management.endpoints.web.exposure.include=prometheus",
				"redelay.metrics.histograms=true" })
@DirtiesContext
class PrometheusIntegrationTests {

	private static final Path DOCS = Path.of("..", "docs", "monitoring");

	private static final Pattern SAMPLE = Pattern.compile("(?m)^((?:redelay|messaging)_\\w+)(?:\\{(.*)})? \\S+$");

	private static final Pattern LABEL = Pattern.compile("(\\w+)=\"((?:[^\"\\\\]|\\\\.)*)\"");

	private static final Pattern SELECTOR = Pattern.compile("\\b((?:redelay|messaging)_\\w+)(\\{[^}]*})?");

	private static final Pattern MATCHER = Pattern.compile("(\\w+)(=~|=|!=|!~)\"([^\"]*)\"");

	private static final Pattern GROUPING = Pattern.compile("\\b(?:by|without) \\(([^)]*)\\)");

	@Autowired
	private QueueOperations queues;

	@Autowired
	private ApplicationEventPublisher events;

	@LocalServerPort
	private int port;

	@BeforeEach
	void use() {
		this.queues.send("orders", "x");
		this.queues.send("unheard", "x");
		this.queues.send(OutboundMessage.to("orders", "fail").maxAttempts(2));
		this.events.publishEvent(new RedisRolledBackEvent("orders", "sender", 3, 2, 0, 1));
		Awaitility.await()
			.untilAsserted(() -> assertThat(scrape()).containsKeys("redelay_queue_ready_messages",
					"redelay_queue_trouble", "redelay_queue_failures_total", "redelay_queue_wait_seconds_bucket",
					"redelay_lock_outcomes_total", "messaging_process_duration_seconds_count"));
	}

	@Test
	void requestsOfAllKindsHaveTheSameLabels() {
		Awaitility.await().untilAsserted(this::checkLabelsOfRequests);
	}

	private void checkLabelsOfRequests() throws IOException, InterruptedException {
		List<Map<String, String>> durations = scrape().get("messaging_client_operation_duration_seconds_count");
		assertThat(durations).extracting((labels) -> labels.get("messaging_operation_name"))
			.contains("send", "claim", "settle");
		assertThat(durations.stream().map(Map::keySet).distinct()).hasSize(1);
	}

	@Test
	void theDashboardAsksForWhatThereIs() throws IOException, InterruptedException {
		JsonNode dashboard = JsonMapper.shared().readTree(DOCS.resolve("grafana-dashboard.json").toFile());
		List<String> queries = new ArrayList<>();
		dashboard.findValues("expr").forEach((expr) -> queries.add(expr.stringValue()));
		dashboard.findValues("definition").forEach((definition) -> queries.add(definition.stringValue()));
		assertThat(queries).hasSizeGreaterThan(20);
		Awaitility.await().untilAsserted(() -> check(queries));
		assertThat(dashboard.path("templating").path("list"))
			.extracting((variable) -> variable.path("name").stringValue())
			.containsExactly("datasource", "queue");
		assertThat(dashboard.findValues("id")).doesNotHaveDuplicates();
	}

	@Test
	void theAlertsAskForWhatThereIs() throws IOException, InterruptedException {
		Map<String, List<Map<String, List<Map<String, Object>>>>> file = new Yaml()
			.load(Files.readString(DOCS.resolve("alerts.yml")));
		List<Map<String, Object>> rules = file.get("groups").get(0).get("rules");
		assertThat(rules).allSatisfy((rule) -> {
			assertThat(rule).containsKeys("alert", "expr", "labels");
			assertThat(rule.get("annotations")).asString().contains("summary", "description");
		});
		List<String> queries = rules.stream().map((rule) -> String.valueOf(rule.get("expr"))).toList();
		Awaitility.await().untilAsserted(() -> check(queries));
	}

	@Test
	void theGuideHasTheMetricsOfAScrape() {
		// The last metrics are there when the message that fails has died.
		Awaitility.await().untilAsserted(this::checkGuide);
	}

	private void checkGuide() throws IOException, InterruptedException {
		Set<String> seen = new TreeSet<>();
		scrape().forEach((name, samples) -> {
			Set<String> labels = new TreeSet<>();
			samples.forEach((sample) -> labels.addAll(sample.keySet()));
			seen.add(labels.isEmpty() ? name : name + "{" + String.join(",", labels) + "}");
		});
		// Those of what is under way are there only while it is.
		seen.removeIf((line) -> line.contains("_active_"));
		Files.createDirectories(Path.of("target"));
		Files.write(Path.of("target", "scrape.txt"), seen);
		assertThat(Files.readAllLines(DOCS.resolve("scrape.txt")))
			.as("docs/monitoring/scrape.txt; target/scrape.txt is what it must be")
			.filteredOn((line) -> !line.startsWith("#"))
			.containsExactlyElementsOf(seen);
	}

	/**
	 * Checks that each metric is in a scrape, with each label that is asked for, and with
	 * each value that a label must have.
	 */
	private void check(List<String> queries) throws IOException, InterruptedException {
		Map<String, List<Map<String, String>>> scrape = scrape();
		for (String query : queries) {
			Set<String> grouping = GROUPING.matcher(query)
				.results()
				.flatMap((by) -> Stream.of(by.group(1).split(",")))
				.map(String::strip)
				.collect(Collectors.toCollection(HashSet::new));
			Matcher variable = Pattern.compile("label_values\\((\\w+), (\\w+)\\)").matcher(query);
			if (variable.find()) {
				grouping.add(variable.group(2));
			}
			String selectors = GROUPING.matcher(query).replaceAll("").replaceAll(", \\w+\\)", ")");
			List<MatchResult> found = SELECTOR.matcher(selectors).results().toList();
			assertThat(found).as(query).isNotEmpty();
			for (MatchResult selector : found) {
				assertThat(scrape).as(query).containsKey(selector.group(1));
				List<Map<String, String>> samples = scrape.get(selector.group(1));
				assertThat(samples.get(0).keySet()).as(query).containsAll(grouping);
				if (selector.group(2) != null) {
					MATCHER.matcher(selector.group(2)).results().forEach((label) -> check(query, samples, label));
				}
			}
		}
	}

	private static void check(String query, List<Map<String, String>> samples, MatchResult label) {
		assertThat(samples.get(0)).as(query).containsKey(label.group(1));
		boolean isVariable = label.group(3).startsWith("$");
		// Nothing was lost here, and so no lock has these outcomes.
		boolean isOfLock = label.group(1).equals("outcome");
		if (label.group(2).startsWith("=") && !isVariable && !isOfLock) {
			assertThat(samples).as(query)
				.extracting((sample) -> sample.get(label.group(1)))
				.contains(label.group(3).split("\\|"));
		}
	}

	/**
	 * The labels of each sample of Redelay's, by the name of the metric.
	 */
	private Map<String, List<Map<String, String>>> scrape() throws IOException, InterruptedException {
		String text = HttpClient.newHttpClient()
			.send(HttpRequest.newBuilder(URI.create("http://localhost:" + this.port + "/actuator/prometheus")).build(),
					BodyHandlers.ofString())
			.body();
		Map<String, List<Map<String, String>>> samples = new TreeMap<>();
		SAMPLE.matcher(text).results().forEach((sample) -> {
			Map<String, String> labels = new TreeMap<>();
			if (sample.group(2) != null) {
				LABEL.matcher(sample.group(2)).results().forEach((label) -> labels.put(label.group(1), label.group(2)));
			}
			samples.computeIfAbsent(sample.group(1), (name) -> new ArrayList<>()).add(labels);
		});
		return samples;
	}

	static class Listener {

		private final Work work;

		Listener(Work work) {
			this.work = work;
		}

		@QueueListener(queues = "orders")
		void handle(String text) {
			this.work.run(text);
		}

	}

	static class Work {

		@MyLock(name = "orders:#{text}")
		public void run(String text) {
			if (text.equals("fail")) {
				throw new IllegalStateException("fails");
			}
		}

	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	@Import({ Listener.class, Work.class })
	static class Application {

		@Bean
		SecurityFilterChain open(HttpSecurity http) {
			return http.csrf((csrf) -> csrf.disable())
				.authorizeHttpRequests((requests) -> requests.anyRequest().permitAll())
				.build();
		}

	}

}
