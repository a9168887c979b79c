package io.redelay.docs.recipes;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.QueueWaitException;
import io.redelay.queue.RejectMessageException;

import org.springframework.stereotype.Component;

@Component
class Webhooks {

	private final HttpClient http = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();

	private final QueueOperations queues;

	Webhooks(QueueOperations queues) {
		this.queues = queues;
	}

	void notify(Webhook webhook) {
		this.queues.send(OutboundMessage.to("webhooks", webhook).fairnessKey(webhook.address().getHost()));
	}

	@QueueListener(queues = "webhooks", maxAttempts = "12")
	void call(Webhook webhook) throws IOException, InterruptedException {
		HttpResponse<Void> response = this.http.send(HttpRequest.newBuilder(webhook.address())
			.timeout(Duration.ofSeconds(10))
			.POST(HttpRequest.BodyPublishers.ofString(webhook.body()))
			.build(), HttpResponse.BodyHandlers.discarding());
		int status = response.statusCode();
		if (status == 429 || status == 503) {
			long seconds = response.headers().firstValueAsLong("Retry-After").orElse(30);
			throw QueueWaitException.ofKey(Duration.ofSeconds(seconds), null); // <1>
		}
		if (status >= 500) {
			throw new IOException("HTTP " + status); // <2>
		}
		if (status >= 400) {
			throw new RejectMessageException("HTTP " + status); // <3>
		}
	}

	record Webhook(URI address, String body) {
	}

}
