package io.redelay.management;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.admin.BulkAction;
import io.redelay.queue.admin.BulkJob;
import io.redelay.queue.admin.BulkRequest;
import io.redelay.queue.admin.MessageFilter;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueueInfo;
import io.redelay.queue.listener.QueueListeners;
import io.redelay.queue.recurring.RecurringDeclaration;
import io.redelay.queue.recurring.RecurringMessages;
import io.redelay.test.extent.Extent;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.core.userdetails.MapReactiveUserDetailsService;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.server.SecurityWebFilterChain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Who may do what over HTTP, on each web stack, at the actuator's own place and on a port
 * and at paths of the application's choice.
 */
class RightsIntegrationTests {

	private static final String QUEUE = "orders";

	private static final String TOPIC = "news";

	private static final String VIEWER = "viewer";

	private static final String OPERATOR = "operator";

	private final HttpClient client = HttpClient.newHttpClient();

	@ParameterizedTest
	@MethodSource("places")
	void eachMayDoWhatIsTheirsAndNoMore(Place place) throws Exception {
		try (ConfigurableApplicationContext application = start(place)) {
			Requests requests = new Requests(application, place);
			requests.prepare();
			for (String read : requests.reads()) {
				assertThat(send(null, new Request("GET", read, null)).statusCode()).as(read).isEqualTo(401);
				for (String user : List.of(VIEWER, OPERATOR)) {
					HttpResponse<String> response = send(user, new Request("GET", read, null));
					assertThat(response.statusCode()).as("%s: %s", read, response.body()).isEqualTo(200);
				}
			}
			assertThat(json(send(VIEWER, new Request("GET", requests.message(), null))).has("payload")).isFalse();
			assertThat(json(send(OPERATOR, new Request("GET", requests.message(), null))).path("payload").asString())
				.isEqualTo("x");
			assertThat(json(send(VIEWER, new Request("GET", requests.config(), null))).path("write").asBoolean())
				.isFalse();
			assertThat(json(send(OPERATOR, new Request("GET", requests.config(), null))).path("write").asBoolean())
				.isTrue();
			String recurring = requests.queue() + "/recurring";
			assertThat(json(send(VIEWER, new Request("GET", recurring, null))).toString()).doesNotContain("upTo")
				.contains("\"stateMasked\":true");
			assertThat(json(send(OPERATOR, new Request("GET", recurring, null))).toString()).contains("upTo")
				.doesNotContain("opensesame");
			assertStacksAreForThoseWhoMaySeeThem(requests);
			assertWhatIsWrongIsReported(requests);
			assertPageFindsItsFilesAndTheOthers(requests, place);
			for (Map.Entry<String, Supplier<Request>> write : requests.writes().entrySet()) {
				Request request = write.getValue().get();
				String before = requests.state();
				assertThat(send(null, request).statusCode()).as("%s of nobody", write.getKey()).isEqualTo(401);
				HttpResponse<String> refused = send(VIEWER, request);
				assertThat(refused.statusCode()).as("%s of a viewer: %s", write.getKey(), refused.body())
					.isEqualTo(403);
				assertThat(json(refused).path("error").asString()).isEqualTo("forbidden");
				assertThat(requests.state()).as("after %s was refused", write.getKey()).isEqualTo(before);
				HttpResponse<String> done = send(OPERATOR, request);
				assertThat(done.statusCode()).as("%s of an operator: %s", write.getKey(), done.body()).isIn(200, 202);
			}
		}
	}

	private void assertPageFindsItsFilesAndTheOthers(Requests requests, Place place) throws Exception {
		HttpResponse<String> page = send(VIEWER, new Request("GET", requests.page(), null));
		String last = place.page.substring(place.page.lastIndexOf('/') + 1);
		assertThat(page.body()).contains("src=\"" + last + "/app.js\"");
		assertThat(page.body().replace("=\"" + last + "/", "")).doesNotContain("=\"redelay/");
		assertThat(send(VIEWER, new Request("GET", requests.page() + "/app.js", null)).headers()
			.firstValue("Content-Type")
			.orElse("")).startsWith("text/javascript");
		JsonNode config = json(send(VIEWER, new Request("GET", requests.config(), null)));
		assertThat(config.path("queues").asString()).isEqualTo(place.linkToQueues);
		assertThat(config.path("locks").asString()).isEqualTo(place.linkToLocks);
	}

	private void assertStacksAreForThoseWhoMaySeeThem(Requests requests) throws Exception {
		String stack = requests.queue() + "/running/nobody";
		assertThat(send(null, new Request("GET", stack, null)).statusCode()).isEqualTo(401);
		HttpResponse<String> refused = send(VIEWER, new Request("GET", stack, null));
		assertThat(refused.statusCode()).as(refused.body()).isEqualTo(403);
		assertThat(json(refused).path("message").asString()).contains("show-stacks");
		assertThat(send(OPERATOR, new Request("GET", stack, null)).statusCode()).isEqualTo(404);
		assertThat(json(send(VIEWER, new Request("GET", requests.config(), null))).path("stacks").asBoolean())
			.isFalse();
		assertThat(json(send(OPERATOR, new Request("GET", requests.config(), null))).path("stacks").asBoolean())
			.isTrue();
	}

	private void assertWhatIsWrongIsReported(Requests requests) throws Exception {
		HttpResponse<String> wrong = send(OPERATOR, new Request("GET", requests.queue() + "/messages?page=x", null));
		assertThat(wrong.statusCode()).isEqualTo(400);
		assertThat(json(wrong).path("parameter").asString()).isEqualTo("page");
		HttpResponse<String> unknown = send(OPERATOR, new Request("GET", requests.queue() + "-nix", null));
		assertThat(unknown.statusCode()).isEqualTo(404);
		assertThat(json(unknown).path("error").asString()).isEqualTo("unknown-queue");
	}

	private static ConfigurableApplicationContext start(Place place) {
		List<String> arguments = new ArrayList<>(List.of("--server.port=0", "--redelay.embedded-redis.port=0",
				// Tomcat and Netty are both on the class path.
				"--spring.main.allow-bean-definition-overriding=true", "--logging.level.io.redelay=off",
				"--spring.main.banner-mode=off", "--management.opentelemetry.enabled=false",
				"--management.otlp.metrics.export.enabled=false",
				"--management.endpoints.web.exposure.include=queues,locks,redelay",
				"--management.endpoint.queues.access=unrestricted", "--management.endpoint.queues.write-roles=OPERATOR",
				"--management.endpoint.queues.show-payloads=when-authorized",
				"--management.endpoint.queues.payload-roles=OPERATOR",
				"--management.endpoint.queues.show-stacks=when-authorized",
				"--management.endpoint.queues.stack-roles=OPERATOR",
				"--redelay.queue.topics." + TOPIC + ".retention.max-age=1h"));
		arguments.addAll(place.arguments);
		return new SpringApplicationBuilder(Application.class).web(place.type).run(arguments.toArray(String[]::new));
	}

	private HttpResponse<String> send(String user, Request request) throws Exception {
		HttpRequest.Builder builder = HttpRequest.newBuilder(URI.create(request.uri()));
		if (user != null) {
			builder.header("Authorization", "Basic "
					+ Base64.getEncoder().encodeToString((user + ":" + user).getBytes(StandardCharsets.UTF_8)));
		}
		if (request.body() != null) {
			builder.header("Content-Type", "application/json")
				.method(request.method(), HttpRequest.BodyPublishers.ofString(request.body()));
		}
		else {
			builder.method(request.method(), HttpRequest.BodyPublishers.noBody());
		}
		return this.client.send(builder.build(), HttpResponse.BodyHandlers.ofString());
	}

	private static JsonNode json(HttpResponse<String> response) {
		return JsonMapper.shared().readTree(response.body());
	}

	/**
	 * Each web stack and both kinds of place, also in the short form.
	 */
	static Stream<Place> places() {
		return Extent.of(Stream.of(Place.SERVLET, Place.REACTIVE_ELSEWHERE), Stream.of(Place.values()));
	}

	private enum Place {

		SERVLET(WebApplicationType.SERVLET, "/actuator/", "queues", "redelay", "queues", "locks", List.of()),

		SERVLET_ELSEWHERE(WebApplicationType.SERVLET, "/", "x/queues", "ops/page", "../x/queues", "../locks",
				List.of("--management.server.port=0", "--management.endpoints.web.base-path=/",
						"--management.endpoints.web.path-mapping.redelay=ops/page",
						"--management.endpoints.web.path-mapping.queues=x/queues")),

		REACTIVE(WebApplicationType.REACTIVE, "/actuator/", "queues", "redelay", "queues", "locks", List.of()),

		REACTIVE_ELSEWHERE(WebApplicationType.REACTIVE, "/manage/", "x/queues", "ops/page", "../x/queues", "../locks",
				List.of("--management.server.port=0", "--management.endpoints.web.base-path=/manage",
						"--management.endpoints.web.path-mapping.redelay=ops/page",
						"--management.endpoints.web.path-mapping.queues=x/queues"));

		private final WebApplicationType type;

		private final String base;

		private final String queues;

		private final String page;

		private final String linkToQueues;

		private final String linkToLocks;

		private final List<String> arguments;

		Place(WebApplicationType type, String base, String queues, String page, String linkToQueues, String linkToLocks,
				List<String> arguments) {
			this.type = type;
			this.base = base;
			this.queues = queues;
			this.page = page;
			this.linkToQueues = linkToQueues;
			this.linkToLocks = linkToLocks;
			this.arguments = arguments;
		}

	}

	private record Request(String method, String uri, String body) {

	}

	/**
	 * What can be asked for.
	 */
	private static final class Requests {

		private final QueueOperations queues;

		private final QueueAdmin admin;

		private final RecurringMessages recurring;

		private final RedissonClient redisson;

		private final QueueListeners listeners;

		private final Place place;

		private final String base;

		private String uid = "";

		Requests(ConfigurableApplicationContext application, Place place) {
			this.queues = application.getBean(QueueOperations.class);
			this.admin = application.getBean(QueueAdmin.class);
			this.recurring = application.getBean(RecurringMessages.class);
			this.redisson = application.getBean(RedissonClient.class);
			this.listeners = application.getBean(QueueListeners.class);
			this.place = place;
			String port = application.getEnvironment().getProperty("local.management.port");
			this.base = "http://localhost:"
					+ ((port != null) ? port : application.getEnvironment().getProperty("local.server.port"))
					+ place.base;
		}

		void prepare() {
			this.uid = scheduled();
			this.recurring.declare(RecurringDeclaration.every(QUEUE, "sweep", Duration.ofDays(1)));
			this.redisson.getMap("redelay:{" + QUEUE + "}:recurring", StringCodec.INSTANCE)
				.put("sweep/state", "token {\"upTo\":7,\"password\":\"opensesame\"}");
			await().until(() -> this.admin.topics().names().contains(TOPIC));
			this.queues.publish(TOPIC, "x");
		}

		String queue() {
			return this.base + this.place.queues + "/" + QUEUE;
		}

		String message() {
			return queue() + "/messages/" + this.uid;
		}

		String page() {
			return this.base + this.place.page;
		}

		String config() {
			return page() + "/config";
		}

		List<String> reads() {
			String all = this.base + this.place.queues;
			return List.of(all, queue(), queue() + "/diagnosis", queue() + "/messages", message(), queue() + "/jobs",
					queue() + "/keys", queue() + "/calendar?span=week&zone=Europe/Berlin", queue() + "/recurring",
					all + "/-/instances", all + "/-/topics/" + TOPIC, this.base + "locks", this.base + "locks/a/b",
					page(), config(), page() + "/app.js");
		}

		/**
		 * All that can be written, each with a message of its own.
		 */
		Map<String, Supplier<Request>> writes() {
			Map<String, Supplier<Request>> writes = new LinkedHashMap<>();
			for (String action : List.of("pause", "resume", "close", "reopen")) {
				writes.put(action, () -> post(queue() + "/" + action, "{}"));
			}
			for (String action : List.of("run", "bury", "cancel")) {
				writes.put(action, () -> onMessage(scheduled(), action, "{}"));
			}
			writes.put("reschedule", () -> onMessage(scheduled(), "reschedule", "{\"delay\": \"1h\"}"));
			writes.put("change", () -> onMessage(scheduled(), "change", "{\"priority\": 3}"));
			writes.put("redrive", () -> onMessage(dead(), "redrive", "{}"));
			writes.put("delete", () -> new Request("DELETE", queue() + "/messages/" + dead(), null));
			writes.put("start a job", () -> post(queue() + "/jobs", "{\"action\": \"bury\", \"tag\": \"none:1\"}"));
			writes.put("spread messages", () -> post(queue() + "/jobs",
					"{\"action\": \"reschedule\", \"tag\": \"none:1\", \"delay\": \"1h\", \"spread\": \"10m\"}"));
			writes.put("stop a job", () -> new Request("DELETE", queue() + "/jobs/" + job(), null));
			for (String action : List.of("run", "pause", "resume", "forget-state")) {
				writes.put(action + " a recurring message", () -> post(queue() + "/recurring/sweep/" + action, "{}"));
			}
			writes.put("remove a recurring message", () -> new Request("DELETE", queue() + "/recurring/sweep", null));
			String topic = this.base + this.place.queues + "/-/topics/" + TOPIC;
			writes.put("replay", () -> post(topic + "/replay",
					"{\"group\": \"all\", \"since\": \"" + Instant.now().minusSeconds(600) + "\"}"));
			writes.put("remove a group", () -> {
				stopConsumers();
				return new Request("DELETE", topic + "?group=all&confirm=all", null);
			});
			writes.put("delete a topic", () -> new Request("DELETE", topic + "?confirm=" + TOPIC, null));
			writes.put("delete a queue", () -> new Request("DELETE", queue() + "?confirm=" + QUEUE, null));
			return writes;
		}

		/**
		 * What a write would change.
		 */
		String state() {
			QueueInfo info = this.admin.queues().info(QUEUE);
			return List
				.of(info.paused(), info.closed(), info.scheduled() + info.ready() + info.dead(),
						this.recurring.list()
							.stream()
							.map((each) -> each.name() + each.paused() + each.lastTick())
							.toList(),
						this.admin.topics().names(), this.admin.jobs().list(QUEUE).stream().map(BulkJob::id).toList())
				.toString();
		}

		private Request onMessage(String message, String action, String body) {
			return post(queue() + "/messages/" + message + "/" + action, body);
		}

		private static Request post(String uri, String body) {
			return new Request("POST", uri, body);
		}

		/**
		 * A group that has a consumer is not removed.
		 */
		private void stopConsumers() {
			this.listeners.list().forEach((listener) -> this.listeners.stop(listener.id()));
			await().until(() -> this.admin.topics()
				.info(TOPIC)
				.groups()
				.stream()
				.allMatch((group) -> group.consumers() == 0));
		}

		private String scheduled() {
			return this.queues.send(QUEUE, "x", Duration.ofDays(1)).id();
		}

		private String dead() {
			String message = scheduled();
			this.admin.messages().bury(QUEUE, message, "for the test");
			return message;
		}

		private String job() {
			// It takes longer than the requests that stop it.
			for (int i = 0; i < 60; i++) {
				scheduled();
			}
			return this.admin.jobs()
				.start(QUEUE, BulkRequest.of(BulkAction.BURY, MessageFilter.all()).perSecond(0.1))
				.id();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		private static UserDetails[] users() {
			return new UserDetails[] { User.withUsername(VIEWER).password("{noop}" + VIEWER).roles("VIEWER").build(),
					User.withUsername(OPERATOR).password("{noop}" + OPERATOR).roles("OPERATOR").build() };
		}

		@QueueListener(topic = TOPIC, group = "all")
		void news(String news) {
		}

		@Configuration(proxyBeanMethods = false)
		@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
		static class Servlet {

			@Bean
			SecurityFilterChain security(HttpSecurity http) {
				return http.authorizeHttpRequests((requests) -> requests.anyRequest().authenticated())
					.httpBasic(Customizer.withDefaults())
					.csrf((csrf) -> csrf.disable())
					.build();
			}

			@Bean
			InMemoryUserDetailsManager userDetails() {
				return new InMemoryUserDetailsManager(users());
			}

		}

		@Configuration(proxyBeanMethods = false)
		@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
		static class Reactive {

			@Bean
			SecurityWebFilterChain security(ServerHttpSecurity http) {
				return http.authorizeExchange((exchanges) -> exchanges.anyExchange().authenticated())
					.httpBasic(Customizer.withDefaults())
					.csrf((csrf) -> csrf.disable())
					.build();
			}

			@Bean
			MapReactiveUserDetailsService userDetails() {
				return new MapReactiveUserDetailsService(users());
			}

		}

	}

}
