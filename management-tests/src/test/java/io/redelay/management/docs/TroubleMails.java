package io.redelay.management.docs;

import io.redelay.queue.admin.TroubleEvent;
import io.redelay.queue.admin.TroubleListener;

import org.springframework.mail.SimpleMailMessage;
import org.springframework.mail.javamail.JavaMailSender;
import org.springframework.stereotype.Component;

@Component
class TroubleMails implements TroubleListener {

	private final JavaMailSender mails;

	TroubleMails(JavaMailSender mails) {
		this.mails = mails;
	}

	@Override
	public void onTrouble(TroubleEvent event) {
		SimpleMailMessage mail = new SimpleMailMessage();
		mail.setFrom("queues@example.org");
		mail.setTo("operators@example.org");
		mail.setSubject("%s %s %s since %s".formatted(event.queue(), event.kind(), event.type(), event.since())); // <1>
		mail.setText(event.summary() + "\n\n" + event.mend()); // <2>
		this.mails.send(mail);
	}

}
