package io.redelay.docs.recipes;

import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueOperations;

import org.springframework.stereotype.Component;

@Component
class Exports {

	private final QueueOperations queues;

	Exports(QueueOperations queues) {
		this.queues = queues;
	}

	void urgent(String file) {
		this.queues.send(OutboundMessage.to("exports", file).priority(9));
	}

	void ofTenant(String tenant, String file) {
		this.queues.send(OutboundMessage.to("exports", file).fairnessKey(tenant));
	}

}
