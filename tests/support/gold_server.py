# SPDX-License-Identifier: Apache-2.0
"""A small GOLD server for tests, written from the facts of the protocol: SSSRMAP 3 over
HTTP, one request a connection, chunks both ways, bodies signed with the site's key. It keeps
one balance, liens by name and charges by job."""
import base64
import hashlib
import hmac
import re
import socketserver
import threading
import time
import xml.etree.ElementTree as ET


def sums(body, key):
    digest = hashlib.sha1(body).digest()
    return (base64.b64encode(digest).decode(),
            base64.b64encode(hmac.new(key.encode(), digest, hashlib.sha1).digest()).decode())


def envelope(body, key):
    digest, signature = sums(body.encode(), key)
    return (f"<?xml version='1.0' encoding='UTF-8'?><Envelope>{body}<Signature><DigestValue>"
            f"{digest}</DigestValue><SignatureValue>{signature}</SignatureValue><SecurityToken "
            "type='Symmetric'/></Signature></Envelope>").encode()


class Handler(socketserver.StreamRequestHandler):
    def handle(self):
        bank = self.server.bank
        head = self.rfile.readline()
        headers = {}
        while (line := self.rfile.readline().strip()):
            name, value = line.decode().split(":", 1)
            headers[name.lower()] = value.strip()
        if not head:
            return
        assert head == b"POST /SSSRMAP3 HTTP/1.1\r\n", head
        assert headers["transfer-encoding"] == "chunked", headers
        assert headers["content-type"] == 'text/xml; charset="utf-8"', headers
        document = b""
        while (n := int(self.rfile.readline(), 16)):
            document += self.rfile.read(n)
            self.rfile.readline()
        self.rfile.readline()
        answer = bank.meet(document) if bank.mischief else bank.answer(document)
        if answer is not None:  # else the line breaks before it has come
            self.wfile.write(b'HTTP/1.1 200 OK\r\nContent-Type: text/xml; charset="utf-8"\r\n'
                             b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n"
                             % (len(answer), answer))


class Gold:
    def __init__(self, key, balance, port=0):
        self.key, self.balance = key, balance
        self.liens, self.charges, self.asked = {}, {}, []
        self.cut = 0  # so many answers are lost
        self.code = None  # of all answers
        self.sign_with = key
        self.no_queries = False
        self.mischief = None  # a random.Random(): it answers late, twice, wrong, or not
        self.times = {}  # how often a job was charged
        self.lock = threading.Lock()
        socketserver.ThreadingTCPServer.allow_reuse_address = True
        self.server = socketserver.ThreadingTCPServer(("127.0.0.1", port), Handler)
        self.server.daemon_threads = True
        self.server.bank = self
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def meet(self, document):
        """As on a bad day: what is taken and what is answered are two things."""
        with self.lock:
            how, late = self.mischief.random(), self.mischief.random()
        if how < 0.1:
            return None  # it never got here
        if how < 0.3:
            time.sleep(late)  # whether or not somebody still waits for it
        with self.lock:
            answer = self.answer(document)
        if how < 0.4:
            return None
        if how < 0.45:
            return answer.replace(b"<DigestValue>", b"<DigestValue>x")
        if how < 0.5:
            return b"<html>the other server of this machine</html>"
        return answer * 2 if how < 0.55 else answer

    def answer(self, document):
        body = re.search(rb"<Body>.*</Body>", document, re.S).group()
        root = ET.fromstring(document)
        said = tuple(root.findtext(f"Signature/{n}") for n in ("DigestValue", "SignatureValue"))
        if said != sums(body, self.key):
            return self.reply(444, "not signed")
        request = root.find("Body/Request")
        self.asked.append((request.get("action"), request.findtext("Object")))
        if self.code:
            return self.reply(self.code, "as the test says")
        answer = self.carry_out(request)
        if self.cut:
            self.cut -= 1
            return None
        return answer

    def carry_out(self, request):
        action = (request.get("action"), request.findtext("Object"))
        job = request.find("Data/Job")
        where = request.findtext("Where")
        if action == ("Query", "Job") and self.no_queries:
            return self.reply(720, "the data base is busy")
        if action == ("Query", "Job"):
            found = self.charges.get(where)
            return self.reply(0, "", "" if found is None else
                              f"<Count>1</Count><Data><Job><Charge>{found}</Charge></Job></Data>")
        if action == ("Delete", "Reservation"):
            self.liens.pop(where, None)
            return self.reply(0, "")
        name = job.findtext("JobId")
        price = int(job.findtext("Processors")) * int(job.findtext("WallDuration"))
        if job.findtext("UserId") is None:
            return self.reply(314, "no user")
        if action == ("Reserve", "Job"):
            if self.balance - sum(self.liens.values()) + self.liens.get(name, 0) < price:
                return self.reply(782, "Insufficient balance")
            self.liens[name] = price
            return self.reply(0, "")
        assert action == ("Charge", "Job"), action
        self.liens.pop(name, None)
        self.charges[name] = self.charges.get(name, 0) + price
        self.balance -= price
        self.times[name] = self.times.get(name, 0) + 1
        return self.reply(0, "")

    def reply(self, code, message, data=""):
        return envelope(f"<Body><Response actor='root'><Status><Value>"
                        f"{'Failure' if code else 'Success'}</Value><Code>{code:03}</Code>"
                        f"<Message>{message}</Message></Status>{data}</Response></Body>",
                        self.sign_with)
