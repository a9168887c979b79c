package io.redelay.management;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Pattern;

import io.redelay.lock.LockSpec;
import io.redelay.lock.LockTemplate;
import io.redelay.queue.HeaderFilter;
import io.redelay.queue.MessageState;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.RejectMessageException;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.bundle.Bundle;
import io.redelay.queue.bundle.BundleCallback;
import io.redelay.queue.bundle.MessageBundles;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.redisson.api.RList;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The endpoints over HTTP: what they show, to whom, and what they answer to requests that
 * cannot be right.
 */
class EndpointsIntegrationTests {

	private static final HttpClient client = HttpClient.newHttpClient();

	private static ConfigurableApplicationContext application;

	private static String base;

	private static String dead;

	@BeforeAll
	static void start() {
		application = new SpringApplicationBuilder(Application.class).run("--server.port=0",
				"--redelay.embedded-redis.port=0", "--logging.level.io.redelay=off", "--spring.main.banner-mode=off",
				"--management.opentelemetry.enabled=false", "--management.otlp.metrics.export.enabled=false",
				"--management.endpoints.web.exposure.include=queues,locks,redelay",
				"--management.endpoint.queues.show-payloads=when-authorized",
				"--management.endpoint.queues.payload-roles=OPERATOR", "--redelay.queue.send.max-message-size=12MB");
		base = "http://localhost:" + ((WebServerApplicationContext) application).getWebServer().getPort()
				+ "/actuator/";
		QueueOperations queues = application.getBean(QueueOperations.class);
		queues.send(OutboundMessage
			.to("orders", Map.of("note", "<script>alert(1)</script>", "password", "geheim", "half", "x"))
			.id("order/1 \u2028<b>")
			.tag("order:1")
			.header("tenant", "north")
			.header("api-token", "geheim"));
		queues.send(OutboundMessage.to("large", Map.of("text", "\uD83D\uDE00".repeat(2_000_000))).id("large"));
		queues.send("waiting", "x", Duration.ofHours(1));
		for (int i = 0; i < 100; i++) {
			queues.send(OutboundMessage.to("secrets", Map.of("password", "geheim", "number", i))
				.header("api-token", "geheim")
				.delay(Duration.ofHours(1)));
		}
		queues.publish("news", "x");
		Bundle bundle = application.getBean(MessageBundles.class)
			.open(BundleCallback.to("imports-done").id("import-17").keepResults());
		bundle.add(OutboundMessage.to("lines", "line").delay(Duration.ofHours(1)));
		bundle.add(OutboundMessage.to("lines", "line").delay(Duration.ofHours(1)));
		QueueAdmin admin = application.getBean(QueueAdmin.class);
		// A cancellation that is ahead of them waits until the sweeper looks.
		await().until(() -> admin.queues().info("lines").scheduled() == 2);
		bundle.cancelRest();
		await().until(() -> admin.queues().info("orders").dead() == 1);
		dead = admin.messages().browse("orders", MessageState.DEAD, 0, 1).messages().get(0).uid();
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@Test
	void aQueueShowsItsInletIfThereIsSomething() throws Exception {
		RList<String> inlet = application.getBean(RedissonClient.class)
			.getList("redelay:inlet:{waiting}", StringCodec.INSTANCE);
		assertThat(get("queues/waiting").body()).doesNotContain("\"inlet\"");
		inlet.add("{}");
		try {
			assertThat(get("queues/waiting").body()).contains("\"inlet\":1", "\"kind\":\"INLET\"");
			assertThat(get("queues/-/instances").body()).contains("\"inlets\":[]");
		}
		finally {
			inlet.delete();
		}
	}

	/**
	 * All that can be read, as the guide has it.
	 */
	static List<String> routes() {
		return List.of("queues", "queues/{queue}", "queues/{queue}/diagnosis", "queues/{queue}/history",
				"queues/{queue}/causes", "queues/{queue}/messages", "queues/{queue}/messages/{id}",
				"queues/{queue}/running", "queues/{queue}/calendar", "queues/{queue}/keys", "queues/{queue}/limits",
				"queues/{queue}/bundles", "queues/{queue}/recurring", "queues/-/running", "queues/-/status",
				"queues/-/messages", "queues/-/instances", "queues/-/topics", "queues/-/topics/{topic}",
				"queues/-/recurring", "locks", "locks/{lock}");
	}

	@ParameterizedTest
	@MethodSource("routes")
	void isAnswered(String route) throws Exception {
		HttpResponse<String> response = get(path(route));
		assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
		assertThat(response.headers().firstValue("Content-Type").orElse("")).contains("json");
	}

	@Test
	void theHistoryReachesBackAsFarAsItIsAskedFor() throws Exception {
		String queue = path("queues/{queue}/history");
		for (Map.Entry<String, Integer> span : Map.of("", 60, "?span=HOUR", 60, "?span=day", 96, "?span=MONTH", 186)
			.entrySet()) {
			JsonNode history = json(get(queue + span.getKey()));
			assertThat(history.path("depth").size()).as(span.getKey()).isEqualTo(span.getValue());
			assertThat(history.path("marks").toString()).contains("INSTANCE_STARTED");
			assertThat(history.has("lastMinute")).isEqualTo(span.getValue() == 60);
		}
		HttpResponse<String> response = get(queue + "?span=YEAR");
		assertThat(response.statusCode()).isEqualTo(400);
		assertThat(response.body()).contains("'span' must be HOUR, DAY, MONTH");
	}

	@Test
	void theStatusAddsUpWhatTheChoicesOfTheListShow() throws Exception {
		JsonNode status = json(get("queues/-/status"));
		assertThat(status.path("redis").path("answers").booleanValue()).isTrue();
		assertThat(status.path("redis").path("role").asString()).isEqualTo("master");
		assertThat(status.path("redis").path("usedBytes").longValue()).isPositive();
		assertThat(status.path("instances").intValue()).isOne();
		assertThat(status.toString()).as("where Redis is").doesNotContain("localhost", "127.0.0.1");
		await().untilAsserted(() -> {
			JsonNode now = json(get("queues/-/status"));
			assertThat(now.path("dead").longValue()).isEqualTo(sum("dead"));
			assertThat(now.path("scheduled").longValue()).isEqualTo(sum("scheduled")).isGreaterThan(100);
			JsonNode trouble = json(get("queues?show=trouble"));
			assertThat(trouble.path("total").intValue()).isEqualTo(now.path("states").path("STOPPED").intValue()
					+ now.path("states").path("BEHIND").intValue() + now.path("warnings").intValue());
			assertThat(json(get("queues?size=200")).path("total").intValue()).isEqualTo(now.path("queues").intValue())
				.isGreaterThan(trouble.path("total").intValue());
		});
	}

	/**
	 * The sum over the queues that are shown for a part of the bar, each of which has
	 * some.
	 */
	private static long sum(String part) throws Exception {
		long sum = 0;
		for (JsonNode queue : json(get("queues?size=200&show=" + part)).path("queues")) {
			assertThat(queue.path(part).longValue()).as("%s of %s", part, queue.path("queue")).isPositive();
			sum += queue.path(part).longValue();
		}
		return sum;
	}

	@Test
	void oneSearchFindsMessagesOfAllQueuesByIdTagKeyAndCause() throws Exception {
		QueueOperations queues = application.getBean(QueueOperations.class);
		String word = "needle-" + System.nanoTime();
		for (int i = 0; i < 3; i++) {
			queues.send(OutboundMessage.to("hay-" + i, i).id(word).delay(Duration.ofHours(1)));
			queues.send(OutboundMessage.to("hay-" + i, i).tag(word).delay(Duration.ofHours(1)));
			queues.send(OutboundMessage.to("hay-" + i, i).orderingKey(word).delay(Duration.ofHours(1)));
			queues.send(OutboundMessage.to("hay-" + i, i).id("buried-" + i).delay(Duration.ofHours(1)));
			application.getBean(QueueAdmin.class).messages().bury("hay-" + i, "buried-" + i, "It has a " + word + ".");
			queues.send(OutboundMessage.to("hay-" + i, word).header("word", word).delay(Duration.ofHours(1)));
		}
		// A look at all queues is shared for some seconds.
		await().untilAsserted(() -> {
			assertThat(everywhere("q=" + word)).as("not by payload or header").hasSize(12);
			assertThat(everywhere("q=" + word + "&by=id")).hasSize(3);
			assertThat(everywhere("q=" + word + "&by=tag")).hasSize(3);
			assertThat(everywhere("q=" + word + "&by=key")).hasSize(3);
			assertThat(everywhere("q=" + word.toUpperCase(Locale.ROOT) + "&by=cause")).hasSize(3)
				.allMatch((message) -> message.path("state").asString().equals("DEAD"));
			assertThat(everywhere("q=" + word + "&state=SCHEDULED")).hasSize(9);
		});
		assertThat(everywhere("q=" + word).get(0).path("id").asString()).as("ids first").isEqualTo(word);
		assertThat(everywhere("q=" + word).toString()).doesNotContain("\"payload\"", "\"headers\"");
		assertThat(everywhere("q=" + word + "&limit=1")).as("one a step").hasSize(12);
		List<JsonNode> dead = everywhere("state=DEAD&limit=2");
		assertThat(dead).extracting((message) -> message.path("queue").asString())
			.contains("orders", "hay-0", "hay-1", "hay-2")
			.isSorted();
	}

	/**
	 * All that a search over all queues finds, in steps that find no more than they are
	 * asked for.
	 */
	private static List<JsonNode> everywhere(String query) throws Exception {
		int limit = query.contains("limit=") ? Integer.parseInt(query.replaceFirst(".*limit=(\\d+).*", "$1")) : 50;
		Map<String, JsonNode> found = new LinkedHashMap<>();
		String cursor = "";
		do {
			JsonNode step = json(get("queues/-/messages?" + query + "&cursor=" + encoded(cursor)));
			assertThat(step.path("messages").size()).isLessThanOrEqualTo(limit);
			step.path("messages").forEach((message) -> found.put(message.path("uid").asString(), message));
			cursor = step.path("cursor").asString("");
			assertThat(step.path("complete").booleanValue()).isEqualTo(cursor.isEmpty());
		}
		while (!cursor.isEmpty());
		return List.copyOf(found.values());
	}

	@Test
	void bundlesAreListedWithWhatBecameOfTheirMessages() throws Exception {
		await().untilAsserted(() -> {
			JsonNode list = JsonMapper.shared().readTree(get("queues/imports-done/bundles").body());
			assertThat(list.get("total").intValue()).isEqualTo(1);
			for (JsonNode bundle : List.of(list.get("bundles").get(0),
					JsonMapper.shared().readTree(get("queues/imports-done").body()).get("bundles").get(0))) {
				assertThat(bundle.get("id").stringValue()).isEqualTo("import-17");
				assertThat(bundle.get("open").booleanValue()).isTrue();
				assertThat(bundle.get("restCancelled").booleanValue()).isTrue();
				assertThat(bundle.get("total").intValue()).isEqualTo(2);
				assertThat(bundle.get("pending").intValue()).isZero();
				assertThat(bundle.get("others").intValue()).isEqualTo(2);
				assertThat(bundle.get("results").intValue()).isZero();
				assertThat(bundle.get("resultsLeftOut").intValue()).isZero();
			}
		});
		assertThat(JsonMapper.shared().readTree(get("queues/orders").body()).has("bundles")).isFalse();
	}

	@Test
	void theGuideHasEachRoute() throws IOException {
		String guide = Files.readString(Path.of("..", "docs", "src", "docs", "asciidoc", "endpoints.adoc"));
		List<String> reported = new ArrayList<>();
		Pattern.compile("^\\|`GET ([^`]+)`", Pattern.MULTILINE)
			.matcher(guide)
			.results()
			.forEach((route) -> reported.add(route.group(1)));
		assertThat(reported).containsAll(routes());
	}

	/**
	 * Each route with a name that there could be, and with one that there cannot be.
	 */
	static List<String> unknownQueues() {
		List<String> hostile = List.of("..x", "-x", "%3Cscript%3E", "%C3%A4", "a%20b", "x".repeat(3000));
		List<String> unknown = new ArrayList<>();
		for (String route : routes()) {
			if (route.contains("{queue}") || route.contains("{topic}")) {
				for (String queue : List.of("nobody-uses-it", hostile.get(unknown.size() / 2 % hostile.size()))) {
					unknown.add(route.replace("{queue}", queue).replace("{topic}", queue).replace("{id}", "x"));
				}
			}
		}
		return unknown;
	}

	@Test
	void anUnknownQueueIsNotFound() throws Exception {
		for (String path : unknownQueues()) {
			HttpResponse<String> response = get(path);
			assertThat(response.statusCode()).as(path).isEqualTo(404);
			assertThat(json(response).path("error").asString()).isEqualTo("unknown-queue");
			assertThat(json(response).path("status").asInt()).isEqualTo(404);
			assertThat(json(response).path("message").asString()).isNotBlank().hasSizeLessThan(1000);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "nix", "%01", "%E2%80%A8", "a%20b", "%3Cimg%20src=x%3E", "-" })
	void anUnknownMessageIsNotFound(String id) throws Exception {
		HttpResponse<String> response = get("queues/orders/messages/" + id);
		assertThat(response.statusCode()).isIn(400, 401, 404);
		if (response.statusCode() == 404) {
			assertThat(json(response).path("error").asString()).isEqualTo("unknown-message");
		}
		assertThat(get("queues/orders/messages/" + "x".repeat(3000)).statusCode()).isEqualTo(404);
	}

	@ParameterizedTest
	@ValueSource(strings = { "queues/orders/nix", "queues/orders/nix/x", "queues/-/nix", "queues/-/nix/x",
			"queues/-/messages/x", "queues/orders/topics/x", "redelay/nix.js", "redelay/app.class" })
	void anUnknownPathIsNotFound(String path) throws Exception {
		HttpResponse<String> response = get(path);
		assertThat(response.statusCode()).isEqualTo(404);
		assertThat(json(response).path("error").asString()).isEqualTo("unknown-path");
	}

	@Test
	void aGroupShowsWhichMessagesItWants() throws Exception {
		JsonNode group = json(get("queues/-/topics/news")).path("groups").get(0);
		assertThat(group.path("name").asString()).isEqualTo("all");
		assertThat(group.path("filter").asString()).isEqualTo("test does not exist");
	}

	@Test
	void theCalendarShowsWhatIsDueInTheZoneOfTheReader() throws Exception {
		QueueOperations queues = application.getBean(QueueOperations.class);
		for (int hours : List.of(2, 2, 50, 24 * 60)) {
			queues.send("planned", "x", Duration.ofHours(hours));
		}
		JsonNode day = json(get("queues/planned/calendar"));
		assertThat(day.path("span").asString()).isEqualTo("DAY");
		assertThat(day.path("zone").asString()).isEqualTo("UTC");
		assertThat(day.path("scheduled").asInt()).isEqualTo(4);
		assertThat(day.path("later").asInt()).isEqualTo(2);
		assertThat(day.path("bars").get(0).path("from").asString()).isEqualTo(day.path("time").asString());
		assertThat(day.path("bars").get(0).path("to").asString()).endsWith(":00:00Z");
		assertThat(dues(day)).containsOnlyOnce(2).contains(0);
		assertThat(day.has("perSecond")).as("nobody consumes it").isFalse();
		assertThat(day.path("bars").get(0).has("handlingMillis")).isFalse();
		JsonNode month = json(get("queues/planned/calendar?span=month&zone=Asia/Kolkata"));
		assertThat(month.path("zone").asString()).isEqualTo("Asia/Kolkata");
		assertThat(month.path("bars").get(0).path("to").asString()).as("midnight there").endsWith("T18:30:00Z");
		assertThat(dues(month).stream().mapToInt(Integer::intValue).sum()).isEqualTo(3);
		JsonNode bar = day.path("bars").get(dues(day).indexOf(2));
		assertThat(json(get("queues/planned/messages?state=SCHEDULED&dueAfter=" + bar.path("from").asString()
				+ "&dueBefore=" + bar.path("to").asString()))
			.path("messages")
			.size()).isEqualTo(2);
	}

	private static List<Integer> dues(JsonNode calendar) {
		List<Integer> dues = new ArrayList<>();
		calendar.path("bars").forEach((bar) -> dues.add(bar.path("due").asInt()));
		return dues;
	}

	static List<List<String>> wrong() {
		List<List<String>> wrong = new ArrayList<>();
		List<List<String>> pages = List.of(List.of("page", "-1"), List.of("size", "0"), List.of("size", "1000"));
		for (String route : List.of("queues", "queues/orders/messages", "queues/orders/running",
				"queues/orders/recurring", "queues/-/instances", "queues/-/topics", "queues/-/recurring", "locks")) {
			List<String> page = pages.get(wrong.size() % pages.size());
			wrong.add(List.of(route, page.get(0), page.get(1)));
		}
		for (String value : List.of("x", "1.5", "99999999999", "", "0x1", "\u0663")) {
			wrong.add(List.of("locks", "page", value));
		}
		wrong.add(List.of("queues", "sort", "x"));
		String calendar = "queues/orders/calendar";
		wrong.addAll(List.of(List.of(calendar, "span", "YEAR"), List.of(calendar, "zone", "Europe/Nowhere"),
				List.of(calendar, "zone", "+25:00"), List.of(calendar, "zone", "\u0000")));
		wrong.add(List.of("queues", "show", "x"));
		for (String name : List.of("state", "by", "cursor", "limit")) {
			wrong.add(List.of("queues/-/messages", name, "x"));
		}
		wrong.add(List.of("queues/-/messages", "cursor", "ALL~orders~x"));
		wrong.add(List.of("queues/-/messages", "cursor", "TAG~orders~"));
		String messages = "queues/orders/messages";
		wrong.addAll(List.of(List.of(messages, "state", "x"), List.of(messages, "state", "UNKNOWN"),
				List.of(messages, "state", "DEAD,x"), List.of(messages, "reason", "x"), List.of(messages, "limit", "0"),
				List.of(messages, "limit", "101"), List.of(messages, "limit", "x"),
				List.of(messages, "minFailures", "-1"), List.of(messages, "cursor", "x"),
				List.of(messages, "cursor", "LIVING~0~x~"), List.of(messages, "header", "x"),
				List.of(messages, "header", ":x"), List.of(messages, "field", "x:y"), List.of(messages, "field", "/x"),
				List.of(messages, "olderThan", "x"), List.of(messages, "olderThan", "-5s"),
				List.of(messages, "olderThan", "99999d")));
		for (String value : List.of("2026-13-01T00:00:00Z", "2026-01-01", "+999999999-01-01T00:00:00Z")) {
			wrong.add(List.of(messages, "sentBefore", value));
		}
		for (String time : List.of("sentAfter", "dueBefore", "dueAfter")) {
			wrong.add(List.of(messages, time, "x"));
		}
		return wrong;
	}

	@Test
	void aWrongParameterIsNamed() throws Exception {
		for (List<String> each : wrong()) {
			HttpResponse<String> response = get("operator",
					each.get(0) + "?" + each.get(1) + "=" + encoded(each.get(2)));
			assertThat(response.statusCode()).as("%s: %s", each, response.body()).isEqualTo(400);
			assertThat(json(response).path("error").asString()).as("%s", each).isEqualTo("bad-parameter");
			assertThat(json(response).path("parameter").asString()).as("%s", each).isEqualTo(each.get(1));
			assertThat(json(response).path("message").asString()).as("%s", each).contains("'" + each.get(1) + "'");
		}
	}

	@Test
	void hostileValuesAreRefusedOrFindNothing() throws Exception {
		List<String> values = List.of("\0", "\u001b[31m", "../../etc/passwd", "x".repeat(5000),
				"\uD83D\uDE00\u202e<script>alert(1)</script>", "'\";--${jndi:ldap://x}#{1+1}%s%n", "/~2:x");
		List<String> names = List.of("state", "id", "tag", "header", "field", "type", "reason", "exception", "text",
				"sentBefore", "sentAfter", "dueBefore", "dueAfter", "olderThan", "minFailures", "cursor", "limit",
				"page", "size");
		// Each name with two of the values.
		for (int i = 0; i < 2 * names.size(); i++) {
			String name = names.get(i % names.size());
			String value = values.get(i % values.size());
			HttpResponse<String> response = get("operator", "queues/orders/messages?" + name + "=" + encoded(value));
			assertThat(response.statusCode()).as("%s=%s: %s", name, value, response.body()).isIn(200, 400);
			if (response.statusCode() == 400) {
				assertThat(json(response).path("parameter").asString()).isEqualTo(name);
				assertThat(json(response).path("message").asString()).hasSizeLessThan(500).doesNotContain("\u001b");
			}
			else {
				assertThat(json(response).path("messages").isEmpty()).isTrue();
			}
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "queues/..%2forders", "queues/%2e%2e/env", "queues/orders%00", "queues/orders/..;/x",
			"queues/orders/messages/%00", "queues/orders/messages/..%2f..%2fx", "redelay/..%2findex.html",
			"redelay/%2e%2e%2fscan.lua", "redelay/..%5cindex.html" })
	void hostilePathsLeadNowhere(String path) throws Exception {
		HttpResponse<String> response = get(path);
		// 401: the web server refused it before its error page, which takes credentials.
		assertThat(response.statusCode()).isIn(400, 401, 404);
		assertThat(response.body()).doesNotContain("io.redelay.queue.actuate", "\tat ");
	}

	@Test
	void payloadsAreShownByRightAndWithoutSecrets() throws Exception {
		JsonNode viewer = json(get("queues/orders/messages/" + dead));
		assertThat(viewer.has("payload")).isFalse();
		assertThat(viewer.has("headers")).isFalse();
		assertThat(viewer.path("masked").asBoolean()).isTrue();
		assertThat(viewer.path("id").asString()).isEqualTo("order/1 \u2028<b>");
		JsonNode operator = json(get("operator", "queues/orders/messages/" + dead));
		assertThat(operator.path("payload").asString()).contains("<script>", "\"password\":\"***\"")
			.doesNotContain("geheim");
		assertThat(operator.path("headers").path("tenant").asString()).isEqualTo("north");
		assertThat(operator.path("headers").path("api-token").asString()).isEqualTo("***");
		assertThat(operator.path("timeline").get(0).path("what").asString()).isEqualTo("sent");
		assertThat(operator.path("death").path("message").asString()).contains("no <b>");
	}

	@Test
	void whatIsMaskedIsNotFoundEither() throws Exception {
		String messages = "queues/orders/messages?state=DEAD&";
		assertThat(get(messages + "header=tenant:north").statusCode()).isEqualTo(403);
		assertThat(get(messages + "field=/note:x").statusCode()).isEqualTo(403);
		assertThat(found(messages + "header=tenant:north")).isOne();
		assertThat(found(messages + "field=/half:x")).isOne();
		assertThat(found(messages + "field=/password:geheim")).isZero();
		assertThat(found(messages + "header=api-token:geheim")).isZero();
		String many = "queues/secrets/messages?state=SCHEDULED&";
		assertThat(howFar(many + "field=/password:geheim")).isEqualTo(howFar(many + "field=/password:wrong"));
		assertThat(howFar(many + "header=api-token:geheim")).isEqualTo(howFar(many + "header=api-token:wrong"));
		assertThat(found(many + "field=/number:30&limit=1")).isOne();
		assertThat(found(messages + "tag=order:1&text=no&reason=rejected")).isOne();
		assertThat(found(messages + "id=" + encoded("order/1 \u2028<b>"))).isOne();
	}

	/**
	 * How far a search for one message came, which depends on whether it met one.
	 */
	private static String howFar(String path) throws Exception {
		JsonNode page = json(get("operator", path + "&limit=1"));
		return page.path("examined") + " " + page.path("cursor");
	}

	private static int found(String path) throws Exception {
		return json(get("operator", path)).path("messages").size();
	}

	@Test
	void reportsWhichKeysWait() throws Exception {
		QueueOperations queues = application.getBean(QueueOperations.class);
		for (String payload : List.of("1", "2", "3")) {
			queues.send(OutboundMessage.to("keyed", payload).orderingKey("<b>"));
			queues.send(OutboundMessage.to("keyed", payload).fairnessKey("north"));
		}
		JsonNode keys = json(get("queues/keyed/keys"));
		assertThat(keys.path("complete").asBoolean()).isTrue();
		assertThat(keys.path("ordering").size()).isOne();
		assertThat(keys.path("ordering").get(0).path("key").asString()).isEqualTo("<b>");
		assertThat(keys.path("ordering").get(0).path("waiting").asInt()).isEqualTo(2);
		String uid = keys.path("ordering").get(0).path("uid").asString();
		assertThat(json(get("queues/keyed/messages/" + uid)).path("orderingKey").asString()).isEqualTo("<b>");
		assertThat(keys.path("fairness").get(0).path("waiting").asInt()).isEqualTo(3);
		assertThat(keys.path("limits").isEmpty()).isTrue();
		await().until(() -> !json(get("queues/limited/keys")).path("limits").isEmpty());
		JsonNode limit = json(get("queues/limited/keys")).path("limits").get(0);
		assertThat(limit.path("name").asString()).isEqualTo("rateLimit");
		assertThat(limit.path("kind").asString()).isEqualTo("RATE");
		assertThat(limit.path("permits").asInt()).isEqualTo(7);
		assertThat(limit.path("periodMillis").asDouble()).isEqualTo(3_600_000);
		assertThat(limit.path("used").asInt()).isZero();
	}

	@Test
	void showsTheHolderAndTheWaitersOfALock() throws Exception {
		LockTemplate locks = application.getBean(LockTemplate.class);
		LockSpec lock = LockSpec.of("stock/7 <b>").withWaitTime(Duration.ofMinutes(10));
		CountDownLatch done = new CountDownLatch(1);
		Thread holder = new Thread(() -> locks.execute(lock, () -> {
			await().atMost(Duration.ofMinutes(10)).until(() -> done.getCount() == 0);
			return true;
		}), "holder");
		Thread waiter = new Thread(() -> locks.execute(lock, () -> true), "waiter");
		holder.start();
		try {
			await().until(() -> json(get("locks/stock/7%20%3Cb%3E")).path("locks").size() == 1);
			waiter.start();
			await().until(() -> json(get("locks?name=stock")).path("locks").path(0).path("waiters").size() == 1);
			JsonNode reported = json(get("locks?name=stock")).path("locks").get(0);
			assertThat(reported.path("name").asString()).isEqualTo("stock/7 <b>");
			assertThat(reported.path("holders").get(0).path("thread").asString()).contains("holder");
			assertThat(reported.path("holders").get(0).path("since").asString()).isNotBlank();
			assertThat(reported.path("holders").get(0).path("reportedAt").asString()).isNotBlank();
			assertThat(reported.path("waiters").get(0).path("reportedAt").asString()).isNotBlank();
			assertThat(reported.path("waiters").get(0).path("thread").asString()).contains("waiter");
			assertThat(json(get("locks?name=other")).path("total").asInt()).isZero();
			JsonNode asked = json(get("locks/stock/7%20%3Cb%3E")).path("locks").get(0);
			assertThat(asked.path("holders").get(0).path("leaseMillis").asDouble()).isPositive();
			assertThat(asked.path("holders").get(0).path("name").asString())
				.isEqualTo(reported.path("holders").get(0).path("name").asString());
			assertThat(asked.path("waiters").size()).isOne();
		}
		finally {
			done.countDown();
			holder.join();
			waiter.join();
		}
		assertThat(json(get("locks/stock/7%20%3Cb%3E")).path("locks").path(0).path("holders").isEmpty()).isTrue();
	}

	@Test
	void aLargePayloadIsCut() throws Exception {
		HttpResponse<String> response = get("operator", "queues/large/messages/large");
		assertThat(response.body()).hasSizeLessThan(200_000);
		assertThat(json(response).path("truncated").asBoolean()).isTrue();
		assertThat(json(response).path("bytes").asInt()).isGreaterThan(8_000_000);
	}

	@Test
	void nothingIsWrittenUnlessThatIsSwitchedOn() throws Exception {
		for (String path : List.of("queues/orders/pause", "queues/orders/messages/" + dead + "/redrive",
				"queues/orders/messages/" + dead + "/cancel", "queues/orders/jobs")) {
			assertThat(send("operator", "POST", path).statusCode()).as(path).isEqualTo(405);
		}
		assertThat(send("operator", "DELETE", "queues/orders?confirm=orders").statusCode()).isEqualTo(405);
		assertThat(json(get("operator", "queues")).path("write").asBoolean()).isFalse();
		assertThat(application.getBean(QueueAdmin.class).queues().info("orders").paused()).isFalse();
		assertThat(application.getBean(QueueAdmin.class).queues().info("orders").dead()).isOne();
	}

	@Test
	void servesThePageWithItsFiles() throws Exception {
		HttpResponse<String> page = get("redelay");
		assertThat(page.headers().firstValue("Content-Type")).hasValue("text/html;charset=UTF-8");
		assertThat(page.body()).contains("Content-Security-Policy", "src=\"redelay/app.js\"");
		HttpResponse<String> script = get("redelay/app.js");
		assertThat(script.headers().firstValue("Content-Type").orElse("")).startsWith("text/javascript");
		assertThat(get("redelay/app.css").headers().firstValue("Content-Type").orElse("")).startsWith("text/css");
		JsonNode config = json(get("redelay/config"));
		assertThat(config.path("queues").asString()).isEqualTo("queues");
		assertThat(config.path("locks").asString()).isEqualTo("locks");
		assertThat(config.path("payloads").asBoolean()).isFalse();
		assertThat(json(get("operator", "redelay/config")).path("payloads").asBoolean()).isTrue();
	}

	private static String path(String route) {
		return route.replace("{queue}", "orders")
			.replace("{id}", dead)
			.replace("{topic}", "news")
			.replace("{lock}", "a/b:c");
	}

	private static String encoded(String value) {
		return URLEncoder.encode(value, StandardCharsets.UTF_8);
	}

	private static JsonNode json(HttpResponse<String> response) {
		return JsonMapper.shared().readTree(response.body());
	}

	private static HttpResponse<String> get(String path) throws Exception {
		return get("viewer", path);
	}

	private static HttpResponse<String> get(String user, String path) throws Exception {
		return send(user, "GET", path);
	}

	private static HttpResponse<String> send(String user, String method, String path) throws Exception {
		String credentials = Base64.getEncoder().encodeToString((user + ":" + user).getBytes(StandardCharsets.UTF_8));
		return client.send(HttpRequest.newBuilder(URI.create(base + path))
			.method(method, HttpRequest.BodyPublishers.noBody())
			.header("Authorization", "Basic " + credentials)
			.build(), HttpResponse.BodyHandlers.ofString());
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		@Bean
		InMemoryUserDetailsManager users() {
			return new InMemoryUserDetailsManager(
					User.withUsername("viewer").password("{noop}viewer").roles("VIEWER").build(),
					User.withUsername("operator").password("{noop}operator").roles("VIEWER", "OPERATOR").build());
		}

		@Bean
		SecurityFilterChain security(HttpSecurity http) {
			return http.authorizeHttpRequests((requests) -> requests.anyRequest().authenticated())
				.httpBasic(Customizer.withDefaults())
				.csrf((csrf) -> csrf.disable())
				.build();
		}

		@QueueListener("orders")
		void handle(Map<String, Object> order) {
			throw new RejectMessageException("no <b>");
		}

		/**
		 * Their claims find what is to be done for bundles; the sweeper would take a
		 * minute.
		 */
		@QueueListener(queues = { "lines", "imports-done" })
		void bundles(String payload) {
		}

		@QueueListener(queues = "limited", rateLimit = "7/1h bursting")
		void limited(String payload) {
		}

		@QueueListener(topic = "news", group = "all", groupFilter = @HeaderFilter(name = "test", exists = "false"))
		void news(String news) {
		}

	}

}
