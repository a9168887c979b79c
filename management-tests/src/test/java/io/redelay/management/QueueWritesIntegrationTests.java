package io.redelay.management;

import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import io.redelay.queue.MessageState;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.admin.MessageFilter;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueuedMessage;
import io.redelay.queue.listener.ListenerDefinition;
import io.redelay.queue.listener.QueueListeners;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;
import org.springframework.context.event.EventListener;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.test.annotation.DirtiesContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of the requests by which the endpoint {@code queues} acts on queues and messages.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT, properties = {
		"spring.main.web-application-type=servlet", "management.endpoints.web.exposure.include=queues",
		"management.endpoint.queues.access=unrestricted", "management.endpoint.queues.write-roles=OPERATOR",
		"management.endpoint.queues.show-payloads=when-authorized", "management.endpoint.queues.payload-roles=READER",
		"management.endpoint.queues.show-stacks=when-authorized", "management.endpoint.queues.stack-roles=READER",
		"management.opentelemetry.enabled=false", "management.otlp.metrics.export.enabled=false" })
@DirtiesContext
@ExtendWith(OutputCaptureExtension.class)
class QueueWritesIntegrationTests {

	private static final String OPERATOR = "ann";

	private static final String VIEWER = "bob";

	/**
	 * Acts, and sees payloads.
	 */
	private static final String READER = "eve";

	private final HttpClient client = HttpClient.newHttpClient();

	private final String queue = "q-" + UUID.randomUUID();

	@LocalServerPort
	private int port;

	@Autowired
	private QueueOperations queues;

	@Autowired
	private QueueAdmin admin;

	@Autowired
	private QueueListeners listeners;

	@Autowired
	private Application application;

	@BeforeEach
	void use() {
		this.queues.send(this.queue, Map.of("number", 0), Duration.ofDays(1));
	}

	@Test
	void ofARedriveAndADeletionAtOnceOneWins() {
		for (int round = 0; round < 20; round++) {
			String uid = dead();
			CompletableFuture<HttpResponse<String>> redrive = later("POST", "/messages/" + uid + "/redrive", "{}");
			CompletableFuture<HttpResponse<String>> delete = later("DELETE", "/messages/" + uid, null);
			int redriveStatus = redrive.join().statusCode();
			int deleteStatus = delete.join().statusCode();
			assertThat(List.of(redriveStatus, deleteStatus)).as(redrive.join().body() + delete.join().body())
				.containsOnlyOnce(200);
			assertThat((redriveStatus == 200) ? deleteStatus : redriveStatus).isIn(404, 409);
			assertThat(
					this.admin.messages().find(this.queue, uid).map(QueuedMessage::state).orElse(MessageState.UNKNOWN))
				.isEqualTo((redriveStatus == 200) ? MessageState.READY : MessageState.UNKNOWN);
		}
	}

	@Test
	void actsOnAMessage() {
		String uid = send();
		assertThat(ok("POST", "/messages/" + uid + "/reschedule", "{\"delay\":\"10m\"}").get("state").asString())
			.isEqualTo("SCHEDULED");
		JsonNode changed = ok("POST", "/messages/" + uid + "/change",
				"{\"payload\":\"{\\\"number\\\":7}\",\"attempts\":\"3\",\"priority\":9}");
		assertThat(changed.get("done").asBoolean()).isTrue();
		assertThat(this.admin.messages().find(this.queue, uid).orElseThrow().payloadAsText())
			.isEqualTo("{\"number\":7}");
		ok("POST", "/messages/" + uid + "/run", "{}");
		assertThat(this.admin.messages().find(this.queue, uid).orElseThrow().state()).isEqualTo(MessageState.READY);
		ok("POST", "/messages/" + uid + "/bury", "{\"reason\":\"not today\"}");
		assertThat(this.admin.messages().find(this.queue, uid).orElseThrow().death().message()).isEqualTo("not today");
		ok("POST", "/messages/" + uid + "/redrive", "{\"due\":\"2400-01-01T00:00:00Z\"}");
		assertThat(this.admin.messages().find(this.queue, uid).orElseThrow().dueAt())
			.isEqualTo(Instant.parse("2400-01-01T00:00:00Z"));
		ok("POST", "/messages/" + uid + "/cancel", "{}");
		assertThat(this.admin.messages().find(this.queue, uid)).isEmpty();
	}

	@Test
	void interruptsTheHandlerOfAMessage(CapturedOutput output) {
		CountDownLatch never = new CountDownLatch(1);
		this.listeners.register(ListenerDefinition.of(this.queue, this.queue)
			.maxAttempts(1)
			.handler(Map.class, (payload) -> never.await()));
		try {
			String uid = this.queues.send(this.queue, Map.of("number", 1)).id();
			JsonNode message = Awaitility.await()
				.ignoreExceptions()
				.until(() -> ok("GET", "/running", null).path("messages").path(0), (row) -> row.has("claim"));
			assertThat(message.path("uid").asString()).isEqualTo(uid);
			assertThat(message.path("state").asString()).isEqualTo("IN_FLIGHT");
			assertThat(message.path("handling").asString()).isEqualTo("HANDLING");
			assertThat(message.path("runningMillis").doubleValue()).isPositive();
			assertThat(message.has("thread")).as("without the right").isFalse();
			assertThat(message.has("line")).isFalse();
			JsonNode shown = json(request(READER, "GET", "/running", null)).path("messages").path(0);
			assertThat(shown.path("thread").asString()).isNotBlank();
			assertThat(shown.path("line").path("type").asString()).startsWith(getClass().getName());
			error(403, "forbidden", null, OPERATOR, "GET", "/running/" + uid, null);
			JsonNode stack = json(request(READER, "GET", "/running/" + uid, null));
			assertThat(stack.path("frames").path(0).path("type").asString()).isNotBlank();
			assertThat(stack.toString()).contains("QueueWritesIntegrationTests.java");
			String path = "/messages/" + uid + "/interrupt";
			error(403, "forbidden", null, VIEWER, "POST", path, "{}");
			error(400, "bad-parameter", "claim", OPERATOR, "POST", path, "{\"claim\":\"x\"}");
			error(409, "conflict", null, OPERATOR, "POST", path, "{\"claim\":123456}");
			assertThat(
					ok("POST", path, "{\"claim\":" + message.path("claim").longValue() + "}").get("done").asBoolean())
				.isTrue();
			Awaitility.await()
				.until(() -> this.admin.messages()
					.find(this.queue, uid)
					.map(QueuedMessage::state)
					.orElse(null) == MessageState.DEAD);
			error(404, "unknown-message", null, READER, "GET", "/running/" + uid, null);
			assertThat(output).contains("who='ann' action='interrupt' queue='" + this.queue + "' message='" + uid
					+ "' claim='" + message.path("claim").longValue() + "' outcome='done, it was IN_FLIGHT'");
		}
		finally {
			never.countDown();
			this.listeners.remove(this.queue).join();
		}
	}

	@Test
	void actsOnAQueue() {
		assertThat(ok("POST", "/pause", "{}").get("paused").asBoolean()).isTrue();
		assertThat(ok("POST", "/resume", "{}").get("paused").asBoolean()).isFalse();
		assertThat(ok("POST", "/close", "{}").get("closed").asBoolean()).isTrue();
		assertThat(ok("POST", "/reopen", "{}").get("closed").asBoolean()).isFalse();
		error(400, "bad-parameter", "confirm", OPERATOR, "DELETE", "", null);
		ok("DELETE", "?confirm=" + this.queue, null);
		assertThat(this.admin.queues().names()).doesNotContain(this.queue);
		error(404, "unknown-queue", null, OPERATOR, "POST", "/pause", "{}");
	}

	@Test
	void changesTheLimitsOfAQueue(CapturedOutput output) {
		JsonNode set = ok("POST", "/limits",
				"{\"rateLimit\":\"100/1s bursting\",\"maxInFlight\":\"20\",\"orderingKeyMaxLength\":5}");
		assertThat(set.get("changedBy").asString()).isNotBlank();
		assertThat(limit(set, "rateLimit").get("set").asString()).isEqualTo("100/1s bursting");
		assertThat(limit(set, "maxInFlight").get("origin").asString()).isEqualTo("SET");
		assertThat(limit(set, "maxInFlight").get("inForce").get(0).asString()).isEqualTo("20");
		assertThat(limit(set, "keyMaxInFlight").get("origin").asString()).isEqualTo("NONE");
		JsonNode one = ok("POST", "/limits", "{\"maxInFlight\":\"\"}");
		assertThat(limit(one, "maxInFlight").get("origin").asString()).isEqualTo("NONE");
		assertThat(limit(one, "rateLimit").get("origin").asString()).isEqualTo("SET");
		assertThat(limit(ok("GET", "", null).get("limits"), "orderingKeyMaxLength").get("set").asString())
			.isEqualTo("5");
		assertThat(ok("DELETE", "/limits", null).path("changedAt").isMissingNode()).isTrue();
		assertThat(this.admin.limits().of(this.queue).changedAt()).isNull();
		error(400, "bad-parameter", "rateLimit", OPERATOR, "POST", "/limits", "{}");
		error(400, "bad-parameter", "rateLimit", OPERATOR, "POST", "/limits", "{\"rateLimit\":\"fast\"}");
		error(400, "bad-parameter", "maxInFlight", OPERATOR, "POST", "/limits", "{\"maxInFlight\":0}");
		error(400, "bad-parameter", "keyMaxInFlight", OPERATOR, "POST", "/limits", "{\"keyMaxInFlight\":\"-1\"}");
		error(400, "bad-parameter", "orderingKeyMaxLength", OPERATOR, "POST", "/limits",
				"{\"orderingKeyMaxLength\":\"9999999\"}");
		error(404, "unknown-path", null, OPERATOR, "DELETE", "/pause", null);
		assertThat(output).contains("who='ann' action='change-limits' queue='" + this.queue
				+ "' rateLimit='100/1s bursting' maxInFlight='20' orderingKeyMaxLength='5' outcome='done'");
		assertThat(output).contains("who='ann' action='clear-limits' queue='" + this.queue + "' outcome='done'");
	}

	private static JsonNode limit(JsonNode limits, String name) {
		for (JsonNode limit : limits.get("limits")) {
			if (limit.get("limit").asString().equals(name)) {
				return limit;
			}
		}
		throw new AssertionError("There is no " + name + " in " + limits);
	}

	@Test
	void startsShowsAndStopsJobs() {
		for (int i = 0; i < 20; i++) {
			this.queues
				.send(OutboundMessage.to(this.queue, Map.of("number", i)).delay(Duration.ofDays(1)).tag("batch:1"));
		}
		HttpResponse<String> started = request(OPERATOR, "POST", "/jobs",
				"{\"action\":\"bury\",\"tag\":\"batch:1\"," + "\"reason\":\"wrong batch\",\"perSecond\":500}");
		assertThat(started.statusCode()).as(started.body()).isEqualTo(202);
		String id = json(started).get("id").asString();
		assertThat(json(started).get("startedBy").asString()).isEqualTo(OPERATOR);
		JsonNode done = Awaitility.await()
			.until(() -> ok("GET", "/jobs/" + id, null), (job) -> !job.get("state").asString().equals("RUNNING"));
		assertThat(done.get("state").asString()).isEqualTo("DONE");
		assertThat(done.get("done").asInt()).isEqualTo(20);
		assertThat(done.get("filter").get("tag").asString()).isEqualTo("batch:1");
		assertThat(ok("GET", "/jobs", null).get("jobs").get(0).get("id").asString()).isEqualTo(id);
		error(409, "conflict", null, OPERATOR, "DELETE", "/jobs/" + id, null);
		error(404, "unknown-path", null, OPERATOR, "DELETE", "/jobs/nobody", null);
		HttpResponse<String> slow = request(OPERATOR, "POST", "/jobs",
				"{\"action\":\"redrive\",\"state\":\"DEAD\",\"tag\":\"batch:1\",\"perSecond\":1}");
		assertThat(ok("DELETE", "/jobs/" + json(slow).get("id").asString(), null).get("state").asString())
			.isEqualTo("STOPPED");
		error(400, "bad-parameter", "confirm", OPERATOR, "POST", "/jobs",
				"{\"action\":\"delete\",\"tag\":\"batch:1\"}");
		error(400, "bad-parameter", "confirm", OPERATOR, "POST", "/jobs", "{\"action\":\"cancel\"}");
		for (String open : List.of("olderThan\":\"0s", "sentBefore\":\"2100-01-01T00:00:00Z",
				"dueAfter\":\"2000-01-01T00:00:00Z", "state\":\"SCHEDULED", "minFailures\":\"0")) {
			for (String action : List.of("cancel", "bury", "delete")) {
				error(400, "bad-parameter", "confirm", OPERATOR, "POST", "/jobs",
						"{\"action\":\"" + action + "\",\"" + open + "\"}");
			}
		}
		HttpResponse<String> all = request(OPERATOR, "POST", "/jobs",
				"{\"action\":\"delete\",\"confirm\":\"" + this.queue + "\"}");
		assertThat(all.statusCode()).as(all.body()).isEqualTo(202);
		Awaitility.await()
			.untilAsserted(() -> assertThat(
					this.admin.queues().info(this.queue).scheduled() + this.admin.queues().info(this.queue).dead())
				.isZero());
	}

	@Test
	void spreadsWhatIsDueBetweenTwoTimes(CapturedOutput output) {
		Instant due = Instant.parse("2040-05-04T09:00:00Z");
		for (int i = 0; i < 30; i++) {
			this.queues.send(OutboundMessage.to(this.queue, Map.of("number", i)).dueAt(due));
		}
		String job = "{\"action\":\"reschedule\",\"state\":\"SCHEDULED\",\"dueAfter\":\"2040-05-04T09:00:00Z\","
				+ "\"dueBefore\":\"2040-05-04T10:00:00Z\",\"due\":\"2040-05-04T09:00:00Z\",\"spread\":\"20m\"%s}";
		error(400, "bad-parameter", "confirm", OPERATOR, "POST", "/jobs", job.formatted(""));
		error(403, "forbidden", null, VIEWER, "POST", "/jobs", job.formatted(",\"confirm\":\"" + this.queue + "\""));
		HttpResponse<String> started = request(OPERATOR, "POST", "/jobs",
				job.formatted(",\"confirm\":\"" + this.queue + "\""));
		assertThat(started.statusCode()).as(started.body()).isEqualTo(202);
		assertThat(json(started).get("spreadMillis").asLong()).isEqualTo(1_200_000);
		assertThat(json(started).get("due").asString()).isEqualTo("2040-05-04T09:00:00Z");
		String id = json(started).get("id").asString();
		Awaitility.await().until(() -> ok("GET", "/jobs/" + id, null).get("state").asString().equals("DONE"));
		assertThat(ok("GET", "/jobs/" + id, null).get("done").asInt()).isEqualTo(30);
		assertThat(this.admin.messages()
			.search(this.queue, MessageFilter.all().states(MessageState.SCHEDULED).dueAfter(due), null, 100)
			.messages()).hasSize(30)
			.allMatch((message) -> message.dueAt().isBefore(due.plus(Duration.ofMinutes(20))))
			.extracting(QueuedMessage::dueAt)
			.doesNotHaveDuplicates();
		assertThat(output).contains("who='ann' action='start-job' queue='" + this.queue + "' job='reschedule'",
				"spread='20m'");
	}

	@Test
	void namesWhatIsWrong() {
		String uid = send();
		error(400, "bad-parameter", "delay", OPERATOR, "POST", "/messages/" + uid + "/reschedule", "{}");
		error(400, "bad-parameter", "delay", OPERATOR, "POST", "/messages/" + uid + "/reschedule",
				"{\"delay\":\"soon\"}");
		error(400, "bad-parameter", "due", OPERATOR, "POST", "/messages/" + uid + "/reschedule",
				"{\"due\":\"tomorrow\"}");
		error(400, "bad-parameter", "payload", OPERATOR, "POST", "/messages/" + uid + "/change", "{}");
		error(400, "bad-parameter", "payload", OPERATOR, "POST", "/messages/" + uid + "/change", "{\"payload\":\"{\"}");
		error(400, "bad-parameter", "attempts", OPERATOR, "POST", "/messages/" + uid + "/change", "{\"attempts\":0}");
		error(400, "bad-parameter", "priority", OPERATOR, "POST", "/messages/" + uid + "/change",
				"{\"priority\":\"high\"}");
		error(400, "bad-parameter", "failures", OPERATOR, "POST", "/messages/" + uid + "/change", "{\"failures\":-1}");
		error(400, "bad-parameter", "reason", OPERATOR, "POST", "/messages/" + uid + "/bury",
				"{\"reason\":\"a\\u0000b\"}");
		error(404, "unknown-path", null, OPERATOR, "POST", "/messages/" + uid + "/explode", "{}");
		error(404, "unknown-path", null, OPERATOR, "POST", "/explode", "{}");
		error(404, "unknown-message", null, OPERATOR, "POST", "/messages/nobody/cancel", "{}");
		error(404, "unknown-message", null, OPERATOR, "POST", "/messages/nobody/redrive", "{}");
		error(404, "unknown-message", null, OPERATOR, "DELETE", "/messages/nobody", null);
		error(409, "conflict", null, OPERATOR, "POST", "/messages/" + uid + "/redrive", "{}");
		for (String[] bad : new String[][] { { "action", "{}" }, { "action", "{\"action\":\"explode\"}" },
				{ "state", "{\"action\":\"redrive\",\"state\":\"READY\"}" },
				{ "state", "{\"action\":\"run\",\"state\":\"nowhere\"}" },
				{ "perSecond", "{\"action\":\"run\",\"tag\":\"a\",\"perSecond\":\"NaN\"}" },
				{ "perSecond", "{\"action\":\"run\",\"tag\":\"a\",\"perSecond\":0}" },
				{ "limit", "{\"action\":\"run\",\"tag\":\"a\",\"limit\":-1}" },
				{ "delay", "{\"action\":\"reschedule\",\"tag\":\"a\"}" },
				{ "delay", "{\"action\":\"run\",\"tag\":\"a\",\"delay\":\"1s\"}" },
				{ "spread", "{\"action\":\"run\",\"tag\":\"a\",\"spread\":\"1m\"}" },
				{ "spread", "{\"action\":\"reschedule\",\"tag\":\"a\",\"delay\":\"1s\",\"spread\":\"wide\"}" },
				{ "spread",
						"{\"action\":\"reschedule\",\"tag\":\"a\",\"due\":\"2468-12-01T00:00:00Z\",\"spread\":\"3000d\"}" },
				{ "olderThan", "{\"action\":\"run\",\"olderThan\":\"old\"}" },
				{ "reason", "{\"action\":\"bury\",\"tag\":\"a\",\"reason\":\"a\\u0085b\"}" },
				{ "payload", "{\"action\":\"change\",\"tag\":\"a\"}" },
				{ "payload", "{\"action\":\"change\",\"id\":\"" + uid + "\",\"payload\":\"{\"}" },
				{ "payload", "{\"action\":\"change\",\"id\":\"" + uid + "\",\"payload\":\"{} {}\"}" },
				{ "payload", "{\"action\":\"run\",\"tag\":\"a\",\"payload\":\"{}\"}" } }) {
			error(400, "bad-parameter", bad[0], OPERATOR, "POST", "/jobs", bad[1]);
		}
		error(403, "forbidden", null, OPERATOR, "POST", "/jobs", "{\"action\":\"run\",\"field\":\"/number:1\"}");
		error(404, "unknown-queue", null, OPERATOR, "POST", "-nobody/pause", "{}");
		assertThat(this.admin.messages().find(this.queue, uid)).isPresent();
	}

	@Test
	void noJobRevealsWhetherAMaskedValueIsAsGuessed(CapturedOutput output) {
		error(400, "bad-parameter", "field", READER, "POST", "/jobs",
				"{\"action\":\"run\",\"field\":\"/account/password:geheim\"}");
		error(400, "bad-parameter", "header", READER, "POST", "/jobs",
				"{\"action\":\"run\",\"header\":\"api-token:geheim\"}");
		HttpResponse<String> started = request(READER, "POST", "/jobs",
				"{\"action\":\"run\",\"field\":\"/account/a~1b:7\",\"header\":\"tenant:north\"}");
		assertThat(started.statusCode()).as(started.body()).isEqualTo(202);
		assertThat(json(started).get("filter").has("fields")).isTrue();
		request(READER, "POST", "/jobs", "{\"action\":\"run\",\"field\":\"account:geheim\"}");
		assertThat(output.toString().lines().filter((line) -> line.contains("io.redelay.audit"))).isNotEmpty()
			.noneMatch((line) -> line.contains("geheim"))
			.anyMatch((line) -> line.contains("field='/account/password:***'"))
			.anyMatch((line) -> line.contains("header='api-token:***'"))
			.anyMatch((line) -> line.contains("header='tenant:north'"));
	}

	@Test
	void aUserWithoutTheRightToWriteDoesNothing(CapturedOutput output) {
		String uid = send();
		for (String[] write : new String[][] { { "POST", "/pause" }, { "POST", "/limits" }, { "DELETE", "/limits" },
				{ "POST", "/jobs" }, { "POST", "/messages/" + uid + "/cancel" }, { "DELETE", "/messages/" + uid },
				{ "DELETE", "?confirm=" + this.queue }, { "DELETE", "/jobs/any" }, { "POST", "/recurring/any/run" } }) {
			String body = write[0].equals("POST") ? "{\"action\":\"cancel\",\"confirm\":\"" + this.queue + "\"}" : null;
			error(403, "forbidden", null, VIEWER, write[0], write[1], body);
			assertThat(request(null, write[0], write[1], body).statusCode()).as(write[1]).isEqualTo(401);
		}
		assertThat(this.admin.messages().find(this.queue, uid)).isPresent();
		assertThat(this.admin.queues().info(this.queue).paused()).isFalse();
		assertThat(output).contains("who='bob' action='pause' queue='" + this.queue + "' outcome='refused: ");
	}

	@Test
	void recordsWhichUserDidWhat(CapturedOutput output) {
		String uid = send();
		ok("POST", "/messages/" + uid + "/cancel", "{}");
		assertThat(output).contains("who='ann' action='cancel' queue='" + this.queue + "' message='" + uid
				+ "' outcome='done, it was SCHEDULED'");
		assertThat(this.application.events).anySatisfy((event) -> {
			assertThat(event.getAuditEvent().getPrincipal()).isEqualTo(OPERATOR);
			assertThat(event.getAuditEvent().getType()).isEqualTo("REDELAY_CANCEL");
			assertThat(event.getAuditEvent().getData()).containsEntry("message", uid)
				.containsEntry("queue", this.queue);
		});
		String moved = send();
		ok("POST", "/messages/" + moved + "/change", "{\"priority\":\"3\"}");
		ok("POST", "/messages/" + moved + "/reschedule", "{\"delay\":\"2h\"}");
		assertThat(output).contains("message='" + moved + "' priority='3'", "message='" + moved + "' delay='2h'");
		request(OPERATOR, "POST", "/jobs", "{\"action\":\"bury\",\"tag\":\"batch:9\",\"reason\":\"wrong batch\"}");
		assertThat(output).contains("job='bury' tag='batch:9' reason='wrong batch'");
		String forged = "x\\n2026-01-01 INFO io.redelay.audit : who='root' action='pause' \\u2028 \\r \\u0085 \\u009b";
		request(OPERATOR, "POST", "/jobs", "{\"action\":\"cancel\",\"tag\":\"" + forged + "\"}");
		request(OPERATOR, "POST",
				"/messages/" + URLEncoder.encode("it's \u202ehere", StandardCharsets.UTF_8) + "/cancel", "{}");
		assertThat(output.toString().lines().filter((line) -> line.contains("io.redelay.audit")))
			.noneMatch((line) -> line.matches("2026-01-01 .*"))
			.noneMatch((line) -> line.chars().anyMatch((c) -> "\u2028\u202e\u0085\u009b".indexOf(c) >= 0))
			.anyMatch((line) -> line.contains("who=\\'root\\'"))
			.anyMatch((line) -> line.contains("message='it\\'s+?here'") || line.contains("message='it\\'s ?here'"));
	}

	private String send() {
		return this.queues.send(this.queue, Map.of("number", 1), Duration.ofHours(1)).id();
	}

	private String dead() {
		String uid = send();
		this.admin.messages().bury(this.queue, uid, "for the test");
		return uid;
	}

	private JsonNode ok(String method, String path, String body) {
		HttpResponse<String> response = request(OPERATOR, method, path, body);
		assertThat(response.statusCode()).as(method + " " + path + ": " + response.body()).isEqualTo(200);
		return json(response);
	}

	private void error(int status, String error, String parameter, String user, String method, String path,
			String body) {
		HttpResponse<String> response = request(user, method, path, body);
		assertThat(response.statusCode()).as(method + " " + path + " " + body + ": " + response.body())
			.isEqualTo(status);
		JsonNode view = json(response);
		assertThat(view.get("error").asString()).isEqualTo(error);
		assertThat(view.path("parameter").asString(null)).as(response.body()).isEqualTo(parameter);
		assertThat(view.get("message").asString()).isNotBlank();
	}

	private static JsonNode json(HttpResponse<String> response) {
		return JsonMapper.shared().readTree(response.body());
	}

	private HttpResponse<String> request(String user, String method, String path, String body) {
		return send(user, method, path, body).join();
	}

	private CompletableFuture<HttpResponse<String>> later(String method, String path, String body) {
		return send(OPERATOR, method, path, body);
	}

	private CompletableFuture<HttpResponse<String>> send(String user, String method, String path, String body) {
		HttpRequest.Builder request = HttpRequest
			.newBuilder(URI.create("http://localhost:" + this.port + "/actuator/queues/" + this.queue + path))
			.method(method,
					(body != null) ? HttpRequest.BodyPublishers.ofString(body) : HttpRequest.BodyPublishers.noBody());
		if (body != null) {
			request.header("Content-Type", "application/json");
		}
		if (user != null) {
			request.header("Authorization",
					"Basic " + Base64.getEncoder().encodeToString((user + ":secret").getBytes(StandardCharsets.UTF_8)));
		}
		return this.client.sendAsync(request.build(), HttpResponse.BodyHandlers.ofString());
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		final List<AuditApplicationEvent> events = Collections.synchronizedList(new ArrayList<>());

		@EventListener
		void on(AuditApplicationEvent event) {
			this.events.add(event);
		}

		@Bean
		SecurityFilterChain security(HttpSecurity http) {
			return http.authorizeHttpRequests((requests) -> requests.anyRequest().authenticated())
				.httpBasic(Customizer.withDefaults())
				.csrf((csrf) -> csrf.disable())
				.build();
		}

		@Bean
		InMemoryUserDetailsManager users() {
			return new InMemoryUserDetailsManager(
					User.withUsername(OPERATOR).password("{noop}secret").roles("OPERATOR").build(),
					User.withUsername(READER).password("{noop}secret").roles("OPERATOR", "READER").build(),
					User.withUsername(VIEWER).password("{noop}secret").roles("VIEWER").build());
		}

	}

}
