package io.redelay.samples.shop;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.awaitility.core.ThrowingRunnable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Talks to a shop as its customers do.
 */
class ShopClient {

	private static final HttpClient http = HttpClient.newHttpClient();

	private static final JsonMapper mapper = new JsonMapper();

	private final URI base;

	ShopClient(int port) {
		this.base = URI.create("http://localhost:" + port);
	}

	/**
	 * Waits until an assertion holds; while a shop or its database is being taken over,
	 * asking it may fail. H2 may need minutes to open a file whose process was killed,
	 * and each request that fails meanwhile costs it time.
	 */
	static void eventually(ThrowingRunnable assertion) {
		await().atMost(Duration.ofMinutes(5))
			.pollInterval(Duration.ofMillis(250))
			.ignoreExceptions()
			.untilAsserted(assertion);
	}

	Answer get(String path) {
		return exchange(HttpRequest.newBuilder(this.base.resolve(path)));
	}

	Answer post(String path, String json) {
		return exchange(HttpRequest.newBuilder(this.base.resolve(path))
			.header("Content-Type", "application/json")
			.POST(BodyPublishers.ofString(json)));
	}

	Answer put(String path, String json) {
		return exchange(HttpRequest.newBuilder(this.base.resolve(path))
			.header("Content-Type", "application/json")
			.PUT(BodyPublishers.ofString(json)));
	}

	/**
	 * Imports prices.
	 * @return where the result will be
	 */
	String importPrices(String email, String csv) {
		HttpResponse<String> response = send(HttpRequest.newBuilder(this.base.resolve("/imports?email=" + email))
			.header("Content-Type", "text/csv")
			.POST(BodyPublishers.ofString(csv)));
		assertThat(response.statusCode()).isEqualTo(202);
		return response.headers().firstValue("Location").orElseThrow();
	}

	String placeOrder(Duration payWithin) {
		return placeOrder(payWithin, "amy@example.com");
	}

	String placeOrder(Duration payWithin, String email) {
		return post("/orders", """
				{"item": "book", "amount": 42.50, "payWithin": "%s", "email": "%s"}""".formatted(payWithin, email))
			.idOfCreated();
	}

	Answer pay(String orderId) {
		return post("/orders/" + orderId + "/pay", "");
	}

	Answer reminder(String orderId) {
		return get("/orders/" + orderId + "/reminder");
	}

	Answer order(String id) {
		return get("/orders/" + id);
	}

	Answer receipt(String orderId) {
		return get("/receipts/" + orderId);
	}

	Answer correctReceipt(String orderId, String email) {
		return put("/receipts/" + orderId, """
				{"email": "%s"}""".formatted(email));
	}

	Answer redriveReceipts(String json) {
		return post("/receipts/dead/redrive", json);
	}

	/**
	 * What happened to the orders of a customer, such as {@code PLACED} and the order's
	 * id.
	 */
	List<String> timeline(String email) {
		return get("/customers/" + email + "/timeline").body()
			.valueStream()
			.map((entry) -> entry.required("kind").asString() + " " + entry.required("orderId").asString())
			.toList();
	}

	Answer payMerchant(String merchant) {
		return post("/merchants/" + merchant + "/payments", """
				{"amount": 9.95}""");
	}

	/**
	 * When the server of a merchant was called.
	 */
	List<Instant> calls(String merchant) {
		return get("/merchants/" + merchant + "/calls").body()
			.valueStream()
			.map((call) -> Instant.parse(call.required("calledAt").asString()))
			.toList();
	}

	Answer deliver(String note, String item, int quantity) {
		return post("/deliveries", """
				{"note": "%s", "lines": [{"item": "%s", "quantity": %d}]}""".formatted(note, item, quantity));
	}

	Answer sendNews(String email, String text) {
		return post("/customers/" + email + "/news", """
				{"text": "%s"}""".formatted(text));
	}

	/**
	 * How many pieces of news each mail to a customer had.
	 */
	List<Integer> digests(String email) {
		return get("/customers/" + email + "/digests").body()
			.valueStream()
			.map((digest) -> digest.required("size").asInt())
			.toList();
	}

	/**
	 * The next runs of the report of each night, and the last report.
	 */
	Answer nightlyReport() {
		return get("/reports/nightly");
	}

	String startExport() {
		Answer answer = post("/exports", "");
		assertThat(answer.code()).as("%s", answer.body()).isEqualTo(202);
		return answer.body().required("id").asString();
	}

	Answer export(String id) {
		return get("/exports/" + id);
	}

	Answer cancelExport(String id) {
		return exchange(HttpRequest.newBuilder(this.base.resolve("/exports/" + id)).DELETE());
	}

	/**
	 * The lines of an export that is done, behind the heading.
	 */
	List<String> exportedLines(String id) {
		HttpResponse<String> response = send(HttpRequest.newBuilder(this.base.resolve("/exports/" + id + "/file")));
		assertThat(response.statusCode()).as(response::body).isEqualTo(200);
		assertThat(response.headers().firstValue("Content-Type")).hasValue("text/csv");
		List<String> lines = response.body().lines().toList();
		assertThat(lines.get(0)).startsWith("id,item,amount,");
		return lines.subList(1, lines.size());
	}

	Answer runNightlyReport() {
		return post("/reports/nightly/run", "");
	}

	String sendRedPacket(String from, String to, String amount, Duration refundAfter) {
		return post("/red-packets", """
				{"from": "%s", "to": "%s", "amount": %s, "refundAfter": "%s"}""".formatted(from, to, amount,
				refundAfter))
			.idOfCreated();
	}

	Answer open(String redPacketId) {
		return post("/red-packets/" + redPacketId + "/open", "");
	}

	Answer redPacket(String id) {
		return get("/red-packets/" + id);
	}

	BigDecimal balance(String name) {
		return get("/accounts/" + name).body().required("balance").decimalValue();
	}

	String issueCoupon(int stock) {
		return post("/coupons", """
				{"name": "launch", "stock": %d}""".formatted(stock)).idOfCreated();
	}

	Answer claim(String couponId, long userId) {
		return post("/coupons/" + couponId + "/claims", """
				{"userId": %d}""".formatted(userId));
	}

	/**
	 * The users who have a coupon, each as often as it has one.
	 */
	List<Long> holders(String couponId) {
		return get("/coupons/" + couponId + "/claims").body()
			.valueStream()
			.map((claim) -> claim.required("userId").longValue())
			.toList();
	}

	private static Answer exchange(HttpRequest.Builder request) {
		HttpResponse<String> response = send(request);
		return new Answer(response.statusCode(), response.headers().firstValue("Content-Type").orElse(""),
				mapper.readTree(response.body()));
	}

	private static HttpResponse<String> send(HttpRequest.Builder request) {
		try {
			return http.send(request.timeout(Duration.ofMinutes(2)).build(), BodyHandlers.ofString());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * What the shop answers.
	 */
	record Answer(int code, String contentType, JsonNode body) {

		String idOfCreated() {
			assertThat(this.code).as("%s", this.body).isEqualTo(201);
			return this.body.required("id").asString();
		}

		String status() {
			assertThat(this.code).as("%s", this.body).isEqualTo(200);
			return this.body.required("status").asString();
		}

		Instant time(String field) {
			return Instant.parse(this.body.required(field).asString());
		}

	}

}
