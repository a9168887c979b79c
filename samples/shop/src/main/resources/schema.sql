create table if not exists shop_order (
	id varchar(36) primary key,
	item varchar(200) not null,
	amount decimal(12, 2) not null,
	email varchar(200) not null,
	status varchar(10) not null,
	created_at timestamp with time zone not null,
	pay_by timestamp with time zone not null,
	reminded_at timestamp with time zone,
	paid_at timestamp with time zone,
	cancelled_at timestamp with time zone
);
-- For a file from before there were reminders.
alter table shop_order add column if not exists reminded_at timestamp with time zone;
create index if not exists shop_order_pending on shop_order (status, pay_by);
create index if not exists shop_order_placed on shop_order (created_at, id);

create table if not exists account (
	name varchar(100) primary key,
	balance decimal(20, 2) not null
);

create table if not exists red_packet (
	id varchar(36) primary key,
	sender varchar(100) not null,
	recipient varchar(100) not null,
	amount decimal(12, 2) not null,
	status varchar(10) not null,
	created_at timestamp with time zone not null,
	refund_at timestamp with time zone not null,
	opened_at timestamp with time zone,
	refunded_at timestamp with time zone
);
create index if not exists red_packet_pending on red_packet (status, refund_at);

create table if not exists receipt (
	order_id varchar(36) primary key,
	email varchar(200) not null,
	status varchar(10) not null,
	failures int not null,
	reason varchar(1000),
	created_at timestamp with time zone not null,
	sent_at timestamp with time zone
);
create index if not exists receipt_status on receipt (status, created_at);

create table if not exists coupon (
	id varchar(36) primary key,
	name varchar(100) not null,
	stock int not null,
	created_at timestamp with time zone not null
);

-- One coupon to a user: a unique constraint could say so too, and yours should. Here it would hide what the lock does.
create table if not exists coupon_claim (
	id varchar(36) primary key,
	coupon_id varchar(36) not null,
	user_id bigint not null,
	claimed_at timestamp with time zone not null
);
create index if not exists coupon_claim_user on coupon_claim (coupon_id, user_id);

create table if not exists timeline_entry (
	id bigint generated always as identity primary key,
	order_id varchar(36) not null,
	email varchar(200) not null,
	kind varchar(10) not null,
	happened_at timestamp with time zone not null
);
create index if not exists timeline_entry_email on timeline_entry (email);
create index if not exists timeline_entry_order on timeline_entry (order_id);

create table if not exists webhook_call (
	payment_id varchar(36) primary key,
	merchant varchar(100) not null,
	amount decimal(12, 2) not null,
	called_at timestamp with time zone not null
);
create index if not exists webhook_call_merchant on webhook_call (merchant, called_at);

create table if not exists stock_item (
	item varchar(100) primary key,
	quantity bigint not null
);

create table if not exists digest (
	id varchar(36) primary key,
	email varchar(200) not null,
	size int not null,
	sent_at timestamp with time zone not null
);
create index if not exists digest_email on digest (email, sent_at);

create table if not exists report (
	until timestamp with time zone primary key,
	placed int not null,
	paid int not null,
	revenue decimal(20, 2) not null,
	written_at timestamp with time zone not null
);

create table if not exists price (
	item varchar(100) primary key,
	amount decimal(12, 2) not null
);

create table if not exists import_result (
	id varchar(36) primary key,
	lines int not null,
	imported int not null,
	failed int not null,
	ended_at timestamp with time zone not null
);

-- No unique constraint on the id: it would hide that each notification is pushed once.
create table if not exists notification (
	number bigint generated always as identity primary key,
	id varchar(200) not null,
	text varchar(1000) not null,
	pushed_at timestamp with time zone not null
);
